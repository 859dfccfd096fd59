import type { Command } from './command.js';
import type { CommandTitle } from './help.js';

/** A command that is loaded when it is called: the database and the chains are heavy, and help needs neither. */
export interface RegisteredCommand extends CommandTitle {
  readonly load: () => Promise<Command>;
}
