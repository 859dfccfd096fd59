import { Writable } from 'node:stream';
import type { CommandContext, ExitCode } from '../../src/cli/command.js';
import { type CommandNeeds, type CommandServices, withServices } from '../../src/cli/command-services.js';
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
  const code = await runCli(args, contextOf(environment, out, err));
  return { code, out: out.text, err: err.text };
}

/** Calls services as a command does. */
export function inCommand<Result>(
  environment: Record<string, string>,
  needs: CommandNeeds,
  work: (services: CommandServices) => Promise<Result>,
): Promise<Result> {
  return withServices(contextOf(environment, new KeptText(), new KeptText()), needs, work);
}

const contextOf = (environment: Record<string, string>, out: KeptText, err: KeptText): CommandContext => ({
  terminal: terminalOf(out, err),
  readConfig: (overrides) => parseConfig({ ...environment, ...overrides }),
});
