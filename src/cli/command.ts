import { parseArgs, type ParseArgsOptionDescriptor, types } from 'node:util';
import type { Config } from '../platform/config.js';
import { hasErrorCode } from '../platform/processes.js';
import type { Terminal } from './terminal.js';

/** The codes of `parseArgs` for a caller's mistakes. */
const PARSE_FAULTS = ['ERR_PARSE_ARGS_UNKNOWN_OPTION', 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE'];

/** The exit codes of commands: success, a failure or a problem that was found, or wrong usage. */
export const EXIT = { fine: 0, bad: 1, usage: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The arguments of the command are wrong; the message says how. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The command failed; `advice` says what to try next. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';

  constructor(
    message: string,
    readonly advice: string | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An option as `util.parseArgs` takes it, with its line of help. */
export interface OptionSpec extends ParseArgsOptionDescriptor {
  readonly about: string;
  /** The placeholder of the value in the help; only for options of type string. */
  readonly value?: string;
}

type Options = Readonly<Record<string, OptionSpec>>;
type ValuesOf<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>['values'];

/** What every command can use. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Parsed on demand, so that help works with a broken configuration. */
  readonly readConfig: (overrides?: Readonly<Record<string, string | undefined>>) => Config;
}

/** The arguments of a command, its help, and its work. */
export interface CommandSpec<O extends Options> {
  /** The call after `coffer`, such as `key revoke <key id>`. */
  readonly usage: string;
  readonly example: string;
  /** Whole sentences with what the summary leaves out. */
  readonly details?: string;
  readonly options: O;
  /** How many arguments it takes: exactly `count`, or fewer if `optional`, or more if `orMore`. */
  readonly positionals?: { readonly count: number; readonly optional?: boolean; readonly orMore?: boolean };
  readonly run: (
    input: { readonly values: ValuesOf<O>; readonly positionals: readonly string[] },
    context: CommandContext,
  ) => Promise<ExitCode>;
}

/** A command without the types of its options. */
export interface Command {
  readonly usage: string;
  readonly example: string;
  readonly details: string | null;
  readonly options: Options;
  /** @throws UsageError when the arguments do not fit. */
  run(args: readonly string[], context: CommandContext): Promise<ExitCode>;
}

/** Defines a command whose `run` receives typed options. */
export function defineCommand<const O extends Options>(spec: CommandSpec<O>): Command {
  return {
    usage: spec.usage,
    example: spec.example,
    details: spec.details ?? null,
    options: spec.options,
    run: async (args, context) => spec.run(parse(spec, args), context),
  };
}

function parse<O extends Options>(
  { options, positionals: wanted = { count: 0 } }: CommandSpec<O>,
  args: readonly string[],
): { values: ValuesOf<O>; positionals: string[] } {
  const parsed = parseStrictly(options, args);
  const given = parsed.positionals.length;
  const isFewer = wanted.optional === true && given < wanted.count;
  const fits = given === wanted.count || isFewer || (wanted.orMore === true && given > wanted.count);
  if (!fits) throw new UsageError(given > wanted.count ? 'Too many arguments.' : 'An argument is missing.');
  return parsed;
}

function parseStrictly<O extends Options>(
  options: O,
  args: readonly string[],
): { values: ValuesOf<O>; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    if (!types.isNativeError(error) || !hasErrorCode(error, ...PARSE_FAULTS)) throw error;
    throw new UsageError(firstSentence(error.message));
  }
}

/** The other sentences of Node explain how a value may begin with a dash, which does not help here. */
const firstSentence = (message: string): string => message.split('. ')[0]?.replace(/\.?$/, '.') ?? message;

/** Returns the value of a required option. @throws UsageError when it is missing or empty. */
export function required(value: string | undefined, option: string): string {
  if (value === undefined || value.trim() === '') throw new UsageError(`${option} is missing.`);
  return value;
}

/** Returns the value of an option that must be one of `words`. @throws UsageError that lists them. */
export function oneOf<Word extends string>(words: readonly Word[], value: string, option: string): Word {
  const found = words.find((word) => word === value);
  if (found === undefined) throw new UsageError(`${option} must be one of ${words.join(', ')}.`);
  return found;
}
