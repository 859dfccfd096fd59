import type { RegisteredCommand } from '../registered-command.js';

/** The commands about the vault and other secrets. */
export const VAULT_COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'vault init',
    summary: 'Create the vault file with new seeds',
    load: async () => (await import('./vault.command.js')).vaultInit,
  },
  {
    name: 'vault status',
    summary: 'Check that the vault file exists and opens',
    load: async () => (await import('./vault.command.js')).vaultStatus,
  },
  {
    name: 'vault change-passphrase',
    summary: 'Change the passphrase of the vault file',
    load: async () => (await import('./vault-passphrase.command.js')).vaultChangePassphrase,
  },
  {
    name: 'secrets reseal',
    summary: 'Encrypt stored secrets with the current SECRETS_KEY',
    load: async () => (await import('./secrets.command.js')).secretsReseal,
  },
];
