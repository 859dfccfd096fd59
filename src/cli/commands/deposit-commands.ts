import type { RegisteredCommand } from '../registered-command.js';

/** The commands about deposits that need a decision, and their refunds. */
export const DEPOSIT_COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'deposits mismatched',
    formerName: 'deposits unattributed',
    summary: 'List all deposits that did not pay as asked, also resolved ones',
    load: async () => (await import('./deposits.command.js')).depositsMismatched,
  },
  {
    name: 'deposits list',
    summary: 'List deposits that wait for a decision: unattributed, frozen',
    load: async () => (await import('./deposits-held.command.js')).depositsList,
  },
  {
    name: 'deposits find',
    summary: 'Search an address for funds in other token accounts',
    load: async () => (await import('./deposits-find.command.js')).depositsFind,
  },
  {
    name: 'deposits resolve',
    summary: 'Credit an unattributed deposit to a merchant, or refund it',
    load: async () => (await import('./deposits-resolve.command.js')).depositsResolve,
  },
  {
    name: 'deposits release',
    summary: 'Release a frozen deposit',
    load: async () => (await import('./deposits-held.command.js')).depositsRelease,
  },
  {
    name: 'deposits keep',
    summary: 'Keep a frozen deposit frozen',
    load: async () => (await import('./deposits-held.command.js')).depositsKeep,
  },
  {
    name: 'deposits reorged',
    formerName: 'deposits gone',
    summary: 'List final deposits that a reorg removed',
    load: async () => (await import('./deposits-reorged.command.js')).depositsReorged,
  },
  {
    name: 'deposits reverse',
    summary: 'Book out a deposit that a reorg removed',
    load: async () => (await import('./deposits-reorged.command.js')).depositsReverse,
  },
  {
    name: 'deposits restore',
    summary: 'Book a reversed deposit in again once it is back on the chain',
    load: async () => (await import('./deposits-reorged.command.js')).depositsRestore,
  },
  {
    name: 'refunds waiting',
    formerName: 'returns waiting',
    summary: 'List refunds that have not ended, and why',
    load: async () => (await import('./refunds.command.js')).refundsWaiting,
  },
  {
    name: 'refunds show',
    formerName: 'returns show',
    summary: 'Show a refund: terms, transaction and decisions',
    load: async () => (await import('./refunds.command.js')).refundsShow,
  },
  {
    name: 'refunds cancel',
    formerName: 'returns cancel',
    summary: 'Cancel a refund that was never signed',
    load: async () => (await import('./refunds.command.js')).refundsCancel,
  },
];
