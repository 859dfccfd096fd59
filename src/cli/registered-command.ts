import type { Command } from './command.js';
import type { CommandTitle } from './help.js';

/** A command that is loaded when it is called: the database and the chains are heavy, and help needs neither. */
export interface RegisteredCommand extends CommandTitle {
  /** A former name. It still calls the command, and help does not list it. */
  readonly formerName?: string;
  readonly load: () => Promise<Command>;
}
