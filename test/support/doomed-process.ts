import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from './eventually.js';
import { bundleProgram } from './service-build.js';

const DIES_WITHIN_MS = 60_000;

/** A program in this directory that prints a line when it begins to work, and works until a failpoint kills it. */
export interface DoomedProgram {
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  readonly failpoint: string;
}

/**
 * Runs a program until its failpoint kills it. Returns how it ended.
 * @param meanwhile is repeated while it works, not while it loads
 * @throws Error with its standard error when it ends otherwise, or never comes to the failpoint
 */
export async function killedProcess(
  { file, env, failpoint }: DoomedProgram,
  meanwhile: () => Promise<void>,
): Promise<NodeJS.Signals> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const program = await bundleProgram(`test/support/${file}`);
  const child = spawn(process.execPath, ['--no-warnings', program], {
    env: { PATH, NODE_COMPILE_CACHE, ...env, FAILPOINT: failpoint },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const closed = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), closed]);
  child.stdout.resume();
  try {
    await eventually(meanwhile, () => child.exitCode !== null || child.signalCode !== null, DIES_WITHIN_MS);
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`The process did not come to ${failpoint}. ${said.join('')}`, { cause: error });
  }
  await closed;
  if (child.signalCode === null) throw new Error(`The process ended before ${failpoint}: ${said.join('')}`);
  return child.signalCode;
}
