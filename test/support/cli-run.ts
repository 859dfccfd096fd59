import { Writable } from 'node:stream';
import type { ExitCode } from '../../src/cli/command.js';
import { runCli } from '../../src/cli/run-cli.js';
import { terminalOf } from '../../src/cli/terminal.js';
import { parseConfig } from '../../src/platform/config.js';

/** The output of a command, and its exit code. */
export interface CliRun {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

/** A stream that keeps its text. It is not a terminal, so nothing is coloured. */
export class KeptText extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** Runs a command in this process with only the given environment. */
export async function runCommand(args: readonly string[], environment: Record<string, string> = {}): Promise<CliRun> {
  const [out, err] = [new KeptText(), new KeptText()];
  const code = await runCli(args, {
    terminal: terminalOf(out, err),
    readConfig: (overrides) => parseConfig({ ...environment, ...overrides }),
  });
  return { code, out: out.text, err: err.text };
}
