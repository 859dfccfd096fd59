import type { RegisteredCommand } from '../registered-command.js';

/** The commands about merchants and API keys. */
export const ACCESS_COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'merchant create',
    summary: 'Create a merchant with its pockets',
    load: async () => (await import('./merchant.command.js')).merchantCreate,
  },
  {
    name: 'merchant verify',
    summary: 'Verify a merchant, so that it may have live keys',
    load: async () => (await import('./merchant.command.js')).merchantVerify,
  },
  {
    name: 'merchant update',
    summary: "Change a merchant's tolerance for underpayment",
    load: async () => (await import('./merchant.command.js')).merchantUpdate,
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
    summary: 'Revoke an API key',
    load: async () => (await import('./key.command.js')).keyRevoke,
  },
  {
    name: 'key list',
    summary: "List a merchant's API keys",
    load: async () => (await import('./key.command.js')).keyList,
  },
];
