import type { Config } from '../platform/config.js';
import type { CommandContext } from './command.js';

/**
 * The configuration of a command. It is read as a listener's, because that role needs neither the vault's passphrase nor
 * the secrets key: whoever runs a command need not know them.
 */
export function commandConfig({ readConfig }: CommandContext): Config {
  return readConfig({ ROLES: 'listener' });
}
