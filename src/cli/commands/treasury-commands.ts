import type { RegisteredCommand } from '../registered-command.js';

/** The commands about sweeps and hot wallets. */
export const TREASURY_COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'sweeps list',
    summary: 'List sweeps that are not final, and balances that could not be swept',
    load: async () => (await import('./sweeps.command.js')).sweepsList,
  },
  {
    name: 'sweeps retry',
    summary: 'Sweep balances again that were set aside',
    load: async () => (await import('./sweeps.command.js')).sweepsRetry,
  },
  {
    name: 'treasury restored',
    summary: 'After a restore, first: freeze every network',
    load: async () => (await import('./treasury-restored.command.js')).treasuryRestored,
  },
  {
    name: 'treasury unrecorded',
    formerName: 'treasury unknown',
    summary: 'List transactions of a hot wallet that are not in the database',
    load: async () => (await import('./treasury-unrecorded.command.js')).treasuryUnrecorded,
  },
  {
    name: 'treasury adopt',
    summary: 'Record an unrecorded transaction in the books',
    load: async () => (await import('./treasury-adopt.command.js')).treasuryAdopt,
  },
  {
    name: 'treasury top-ups',
    summary: 'List the top-ups of the hot wallets',
    load: async () => (await import('./top-ups.command.js')).treasuryTopUps,
  },
  {
    name: 'treasury write-off',
    summary: 'Book out what is missing from a hot wallet for good',
    load: async () => (await import('./treasury-write-off.command.js')).treasuryWriteOff,
  },
];
