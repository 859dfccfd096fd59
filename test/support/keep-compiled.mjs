// Writes down what Node has compiled (NODE_COMPILE_CACHE) once the service is up: one that is killed writes nothing at its end.
import { flushCompileCache } from 'node:module';

const UP_BY_THEN_MS = 5_000;

setTimeout(flushCompileCache, UP_BY_THEN_MS).unref();
