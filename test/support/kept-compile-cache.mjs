// Keeps what this process has compiled for the later ones of a test run. Load it before the program (`--import`), with
// NODE_COMPILE_CACHE in the run's directory. A killed process saves nothing at its end, so it saves once it is up.
import { flushCompileCache } from 'node:module';

const UP_BY_THEN_MS = 5_000;

setTimeout(flushCompileCache, UP_BY_THEN_MS).unref();
