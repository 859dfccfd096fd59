// Saves the compile cache of Node (NODE_COMPILE_CACHE) once the service is up: a killed process saves nothing at its end.
import { flushCompileCache } from 'node:module';

const UP_BY_THEN_MS = 5_000;

setTimeout(flushCompileCache, UP_BY_THEN_MS).unref();
