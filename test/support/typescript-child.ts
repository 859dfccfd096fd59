import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const HOOKS = new URL('./typescript-hooks.mjs', import.meta.url).href;

/** A separate process that has printed its first line and keeps running. */
export interface TypeScriptChild {
  readonly pid: number;
  readonly firstLine: string;
  /** Kills it, like a power failure, and waits for its end. */
  kill(): Promise<void>;
}

/**
 * Runs an ES module in another Node process until it prints a line; it must keep itself alive after that.
 * Only sources whose syntax Node can strip work: no decorators, no parameter properties.
 * @throws Error with its standard error when it ends first.
 */
export async function runTypeScriptChild(source: string): Promise<TypeScriptChild> {
  const child = spawn(process.execPath, ['--no-warnings', '--import', HOOKS, '--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), exited]);
  if (typeof line !== 'string' || child.pid === undefined) throw new Error(`The child ended early: ${errors.join('')}`);
  return {
    pid: child.pid,
    firstLine: line,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
