import { ACCESS_COMMANDS } from './commands/access-commands.js';
import { DELIVERY_COMMANDS } from './commands/delivery-commands.js';
import { DEPOSIT_COMMANDS } from './commands/deposit-commands.js';
import { INTENT_COMMANDS } from './commands/intent-commands.js';
import { NETWORK_COMMANDS } from './commands/network-commands.js';
import { POLICY_COMMANDS } from './commands/policy-commands.js';
import { STAFF_COMMANDS } from './commands/staff-commands.js';
import { TREASURY_COMMANDS } from './commands/treasury-commands.js';
import { VAULT_COMMANDS } from './commands/vault-commands.js';
import { WITHDRAWAL_COMMANDS } from './commands/withdrawal-commands.js';
import type { RegisteredCommand } from './registered-command.js';

/** All commands, in the order of the overview. A group of commands lists its own in `commands/*-commands.ts`. */
export const COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'demo',
    summary: 'Take one payment from intent to verified webhook',
    load: async () => (await import('./demo/demo.command.js')).demo,
  },
  {
    name: 'pay',
    summary: 'Pay an intent of the sandbox',
    load: async () => (await import('./commands/pay.command.js')).pay,
  },
  {
    name: 'doctor',
    summary: 'Check this installation and say what to fix',
    load: async () => (await import('./doctor/doctor.command.js')).doctor,
  },
  {
    name: 'verify',
    summary: 'Check the books and name the first row that is wrong',
    load: async () => (await import('./commands/verify.command.js')).verify,
  },
  ...ACCESS_COMMANDS,
  ...STAFF_COMMANDS,
  ...INTENT_COMMANDS,
  ...DEPOSIT_COMMANDS,
  ...WITHDRAWAL_COMMANDS,
  ...TREASURY_COMMANDS,
  ...NETWORK_COMMANDS,
  ...POLICY_COMMANDS,
  ...VAULT_COMMANDS,
  ...DELIVERY_COMMANDS,
  {
    name: 'chaos',
    summary: 'Test how the service handles a broken node',
    load: async () => (await import('./commands/chaos.command.js')).chaos,
  },
  {
    name: 'migrate',
    summary: 'Bring the database schema up to date',
    load: async () => (await import('./commands/migrate.command.js')).migrate,
  },
];
