import { createRequire } from 'node:module';
import type solc from 'solc';

const load = createRequire(import.meta.url);

/**
 * Compiles contracts; takes and returns Solidity's standard JSON. The compiler is loaded at the first use: that takes a
 * second, and many processes import a file with contracts for something else.
 */
export function compileSolidity(input: object): unknown {
  const compiler: typeof solc = load('solc');
  return JSON.parse(compiler.compile(JSON.stringify(input)));
}
