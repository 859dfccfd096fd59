import type { Command } from './command.js';
import { columns } from './terminal.js';

/** A command as the overview shows it. */
export interface CommandTitle {
  /** The words that call it, such as `key create`. */
  readonly name: string;
  readonly summary: string;
}

/** The list of commands, all of them or those of a group such as `key`. */
export function overview(titles: readonly CommandTitle[]): string {
  return [
    'Usage: npx coffer <command> [options]',
    '',
    'Commands:',
    ...columns(titles.map(({ name, summary }) => [`  ${name}`, summary])),
    '',
    'They work on DATA_DIR or DATABASE_URL, beside a running service or without one.',
    'Exit code 0: all is well; 1: the finding is bad; 2: wrong usage.',
    'npx coffer <command> --help tells more.',
  ].join('\n');
}

/** The help of one command. */
export function commandHelp({ name, summary }: CommandTitle, command: Command): string {
  const options = Object.entries(command.options).map(([option, { type, value, about }]) => [
    `  --${option}${type === 'string' ? ` ${value ?? 'VALUE'}` : ''}`,
    about,
  ]);
  return [
    `coffer ${name}: ${summary}.`,
    ...(command.details === null ? [] : ['', command.details]),
    '',
    `Usage: npx coffer ${command.usage}${options.length > 0 ? ' [options]' : ''}`,
    ...(options.length > 0 ? ['', 'Options:', ...columns(options)] : []),
    '',
    'Example:',
    `  ${command.example}`,
  ].join('\n');
}
