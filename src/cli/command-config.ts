import type { Config } from '../platform/config.js';
import type { CommandContext } from './command.js';

/**
 * Reads the configuration of a command. It is read as a listener's, because that role needs neither the passphrase of the
 * vault nor SECRETS_KEY: commands run without them.
 */
export function commandConfig({ readConfig }: CommandContext): Config {
  return readConfig({ ROLES: 'listener' });
}
