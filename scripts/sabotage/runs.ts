import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import type { TreeCopy } from './tree-copy.ts';

/** A bug may make a process hang. */
const RUN_MAX_MS = 15 * 60_000;
/** Time for a run to stop before it is killed. */
const STOP_MAX_MS = 10_000;
const MESSAGE_CHARACTERS = 300;

/** The first test that failed. */
export interface Failure {
  readonly spec: string;
  readonly test: string;
  readonly message: string;
}

/** The result of a run of specs. */
export type TestRun = { readonly seconds: number } & (
  | { readonly kind: 'green' }
  | { readonly kind: 'red'; readonly failure: Failure }
  | { readonly kind: 'broken'; readonly output: string }
);

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly seconds: number;
}

const REPORT = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
});

/** Runs the tools of the project in a copy of its tree, one at a time. */
export class Runs {
  private running: ChildProcess | null = null;

  private readonly copy: TreeCopy;

  constructor(copy: TreeCopy) {
    this.copy = copy;
  }

  /** Returns the output of the type check; null when there are no errors. */
  async typeErrors(): Promise<string | null> {
    const args = ['--noEmit', '--incremental', '--tsBuildInfoFile', this.copy.beside('types.tsbuildinfo')];
    const { code, output } = await this.run('typescript/bin/tsc', args);
    return code === 0 ? null : output;
  }

  /** Runs these spec files until the first test fails. */
  async test(specs: readonly string[]): Promise<TestRun> {
    const report = this.copy.beside('report.json');
    rmSync(report, { force: true });
    // Some specs start the built service.
    const build = await this.run('@nestjs/cli/bin/nest.js', ['build']);
    if (build.code !== 0) return { kind: 'broken', ...build };
    // A test that fails early may leave a server open, which would keep the process alive.
    const args = ['--forceExit', '--bail=1', '--json', `--outputFile=${report}`, '--runTestsByPath', ...specs];
    const { code, output, seconds } = await this.run('jest/bin/jest.js', args);
    if (code === 0) return { kind: 'green', seconds };
    const failure = existsSync(report) ? this.failureIn(readFileSync(report, 'utf8')) : null;
    return failure === null ? { kind: 'broken', output, seconds } : { kind: 'red', failure, seconds };
  }

  /** Stops the current run; resolves when it has ended. */
  async stop(): Promise<void> {
    const child = this.running;
    if (child === null) return;
    const ended = once(child, 'exit');
    signal(child, 'SIGINT');
    const patience = setTimeout(() => signal(child, 'SIGKILL'), STOP_MAX_MS);
    await ended;
    clearTimeout(patience);
  }

  /** Returns the first failure with a test. Files that were stopped after it are reported as failed too, without a test. */
  private failureIn(text: string): Failure | null {
    const files = REPORT.parse(JSON.parse(text)).testResults;
    for (const { name, assertionResults } of files) {
      const failed = assertionResults.find(({ status }) => status === 'failed');
      if (failed === undefined) continue;
      const [message = ''] = failed.failureMessages ?? [];
      return { spec: relative(this.copy.root, name), test: failed.fullName, message: brief(message) };
    }
    const unloaded = files.find(({ status, message = '' }) => status === 'failed' && message !== '');
    if (unloaded === undefined) return null;
    const { name, message = '' } = unloaded;
    return { spec: relative(this.copy.root, name), test: '(the file as a whole)', message: brief(message) };
  }

  /** Runs in a separate process group, so that Ctrl-C reaches only this process, which then stops the group. */
  private async run(script: string, args: readonly string[]): Promise<Ended> {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [join('node_modules', script), ...args], {
      cwd: this.copy.root,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.running = child;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    const tooLong = setTimeout(() => signal(child, 'SIGKILL'), RUN_MAX_MS);
    await once(child, 'close');
    clearTimeout(tooLong);
    this.running = null;
    return {
      code: child.exitCode,
      output: stripVTControlCharacters(output).trim(),
      seconds: (performance.now() - startedAt) / 1000,
    };
  }
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // It has already ended.
  }
}

/** Returns a test's message without the stack, on one line. */
function brief(message: string): string {
  const [text = ''] = stripVTControlCharacters(message).split(/\n\s+at /);
  return text.replace(/\s+/g, ' ').trim().slice(0, MESSAGE_CHARACTERS);
}
