import type { Command } from './command.js';
import { columns } from './terminal.js';

/** The line of a command in the overview. */
export interface CommandTitle {
  /** The words that call the command, such as `key create`. */
  readonly name: string;
  readonly summary: string;
}

/** Returns the list of commands: all, or those of a group such as `key`. */
export function overview(titles: readonly CommandTitle[]): string {
  return [
    'Usage: npx coffer <command> [options]',
    '',
    'Commands:',
    ...columns(titles.map(({ name, summary }) => [`  ${name}`, summary])),
    '',
    'Commands use DATA_DIR or DATABASE_URL. The service may run meanwhile or not.',
    'Exit code 0: success; 1: a failure or a problem was found; 2: wrong usage.',
    'Run npx coffer <command> --help for details.',
  ].join('\n');
}

/** Returns the help of one command. */
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
