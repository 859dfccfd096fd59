import type { Command } from './command.js';
import type { CommandTitle } from './help.js';

/** A command that is loaded when it is called: the database and the chains are heavy, and help needs neither. */
export interface RegisteredCommand extends CommandTitle {
  readonly load: () => Promise<Command>;
}

/** Every command, in the order of the overview. */
export const COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'demo',
    summary: 'Take one payment from intent to verified webhook',
    load: async () => (await import('./demo.command.js')).demo,
  },
  {
    name: 'pay',
    summary: 'Pay an intent of the sandbox',
    load: async () => (await import('./pay.command.js')).pay,
  },
  {
    name: 'doctor',
    summary: 'Check this installation and say what to fix',
    load: async () => (await import('./doctor.command.js')).doctor,
  },
  {
    name: 'merchant create',
    summary: 'Create a merchant with its pockets',
    load: async () => (await import('./merchant.command.js')).merchantCreate,
  },
  {
    name: 'merchant verify',
    summary: 'Vouch for a merchant, so that it may have live keys',
    load: async () => (await import('./merchant.command.js')).merchantVerify,
  },
  {
    name: 'merchant list',
    summary: 'List merchants, newest first',
    load: async () => (await import('./merchant.command.js')).merchantList,
  },
  {
    name: 'key create',
    summary: 'Create an API key; it is shown once',
    load: async () => (await import('./key.command.js')).keyCreate,
  },
  {
    name: 'key revoke',
    summary: 'Revoke an API key for good',
    load: async () => (await import('./key.command.js')).keyRevoke,
  },
  {
    name: 'key list',
    summary: "List a merchant's API keys",
    load: async () => (await import('./key.command.js')).keyList,
  },
  {
    name: 'intent cancel',
    summary: 'Cancel an open intent that nobody has paid into',
    load: async () => (await import('./intent.command.js')).intentCancel,
  },
  {
    name: 'intent quarantined',
    summary: 'List intents that could not be settled',
    load: async () => (await import('./intent.command.js')).intentQuarantined,
  },
  {
    name: 'intent retry',
    summary: 'Let a quarantined intent be settled again',
    load: async () => (await import('./intent.command.js')).intentRetry,
  },
  {
    name: 'explain',
    summary: 'Say where an intent stands and what to do',
    load: async () => (await import('./explain.command.js')).explainIntentCommand,
  },
  {
    name: 'deposits unattributed',
    summary: 'List money that paid no intent as it should',
    load: async () => (await import('./deposits.command.js')).depositsUnattributed,
  },
  {
    name: 'sanctions import',
    summary: 'Take in the current sanctions list',
    load: async () => (await import('./sanctions.command.js')).sanctionsImport,
  },
  {
    name: 'sanctions status',
    summary: 'Show how old the sanctions list is',
    load: async () => (await import('./sanctions.command.js')).sanctionsStatus,
  },
  {
    name: 'sanctions check',
    summary: 'Say whether an address is on the sanctions list',
    load: async () => (await import('./sanctions.command.js')).sanctionsCheck,
  },
  {
    name: 'vault init',
    summary: 'Create the vault file with new seeds',
    load: async () => (await import('./vault.command.js')).vaultInit,
  },
  {
    name: 'vault status',
    summary: 'Show whether the vault file is there and opens',
    load: async () => (await import('./vault.command.js')).vaultStatus,
  },
  {
    name: 'deliveries replay',
    summary: 'Send webhook deliveries again',
    load: async () => (await import('./deliveries.command.js')).deliveriesReplay,
  },
  {
    name: 'chaos',
    summary: 'Rehearse what a broken node does to the service',
    load: async () => (await import('./chaos.command.js')).chaos,
  },
  {
    name: 'migrate',
    summary: 'Bring the database schema up to date',
    load: async () => (await import('./migrate.command.js')).migrate,
  },
];
