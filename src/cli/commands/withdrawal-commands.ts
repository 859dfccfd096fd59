import type { RegisteredCommand } from '../registered-command.js';

/** The commands about withdrawals. */
export const WITHDRAWAL_COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'withdrawals waiting',
    summary: 'List withdrawals that have not ended, and why',
    load: async () => (await import('./withdrawals.command.js')).withdrawalsWaiting,
  },
  {
    name: 'withdrawals show',
    summary: 'Show a withdrawal: terms, transaction and decisions',
    load: async () => (await import('./withdrawals.command.js')).withdrawalsShow,
  },
  {
    name: 'withdrawals approve',
    summary: 'Approve a withdrawal that waits for approval',
    load: async () => (await import('./withdrawals-approve.command.js')).withdrawalsApprove,
  },
  {
    name: 'withdrawals cancel',
    summary: 'Cancel a withdrawal that was never signed',
    load: async () => (await import('./withdrawals.command.js')).withdrawalsCancel,
  },
  {
    name: 'withdrawals freeze',
    summary: 'Stop signing on a network or for a merchant',
    load: async () => (await import('./withdrawals-freeze.command.js')).withdrawalsFreeze,
  },
  {
    name: 'withdrawals unfreeze',
    summary: 'Resume signing',
    load: async () => (await import('./withdrawals-freeze.command.js')).withdrawalsUnfreeze,
  },
];
