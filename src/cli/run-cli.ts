import { type Confirmation, DomainError } from '../domain/errors.js';
import { ConfigError } from '../platform/config-error.js';
import { CommandFailure, EXIT, UsageError, type CommandContext, type ExitCode } from './command.js';
import { explain } from './commands/explain.js';
import { COMMANDS } from './commands.js';
import { commandHelp, overview } from './help.js';
import type { RegisteredCommand } from './registered-command.js';

const HELP_OPTIONS = ['--help', '-h'];

/** Runs the command that the arguments name and returns the exit code. Failures are printed to standard error. */
export async function runCli(given: readonly string[], context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const args = given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  const found = findCommand(args);
  if (found === null) return withoutCommand(args, context);
  const { command: registered, rest } = found;
  const command = await registered.load();
  if (asksForHelp(rest)) {
    terminal.line(commandHelp(registered, command));
    return EXIT.fine;
  }
  try {
    return await command.run(rest, context);
  } catch (error) {
    return report(error, registered.name, context);
  }
}

function findCommand(args: readonly string[]): { command: RegisteredCommand; rest: readonly string[] } | null {
  for (const command of COMMANDS) {
    for (const name of namesOf(command)) {
      const words = name.split(' ');
      if (words.every((word, index) => args[index] === word)) return { command, rest: args.slice(words.length) };
    }
  }
  return null;
}

const namesOf = ({ name, formerName }: RegisteredCommand): string[] =>
  formerName === undefined ? [name] : [name, formerName];

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).some((arg) => HELP_OPTIONS.includes(arg));
}

/** Prints the overview of all commands, or of the group that the first word names. Wrong usage unless help was asked for. */
function withoutCommand(args: readonly string[], { terminal }: CommandContext): ExitCode {
  const words = args.filter((arg) => !HELP_OPTIONS.includes(arg));
  const [first] = words;
  const group = COMMANDS.filter((command) => namesOf(command).some((name) => name.split(' ')[0] === first));
  const isKnown = words.length === 0 || (words.length === 1 && group.length > 0);
  const isAsked = args.some((arg) => HELP_OPTIONS.includes(arg));
  const text = overview(group.length > 0 ? group : COMMANDS);
  if (isKnown && isAsked) {
    terminal.line(text);
    return EXIT.fine;
  }
  terminal.problem(isKnown ? text : `coffer: there is no command "${words.join(' ')}".\n\n${text}`);
  return EXIT.usage;
}

function report(error: unknown, name: string, { terminal }: CommandContext): ExitCode {
  terminal.problem(`coffer ${name}: ${explain(error).join('\n  because: ')}`);
  const advice = error instanceof CommandFailure ? error.advice : adviceOn(error);
  if (advice !== null) terminal.problem(`What to try: ${advice}`);
  if (!isUsageError(error)) return EXIT.bad;
  if (error instanceof UsageError) terminal.problem(`Try: npx coffer ${name} --help`);
  return EXIT.usage;
}

/** How this shell confirms what a refusal asks for. */
const CONFIRMED: Readonly<Record<Confirmation, string>> = {
  look_alike_checked: 'pass --look-alike-checked once you have compared them.',
  despite_unasked: 'if the chain no longer exists, pass --despite-unasked.',
};

function adviceOn(error: unknown): string | null {
  const confirmation = error instanceof DomainError ? error.details.confirmation : undefined;
  return confirmation === undefined ? null : CONFIRMED[confirmation];
}

/** Whether an argument or a variable is wrong, and not the state of the service. */
function isUsageError(error: unknown): boolean {
  if (error instanceof DomainError) return error.code === 'invalid_request';
  return error instanceof UsageError || error instanceof ConfigError;
}
