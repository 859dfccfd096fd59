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
  {
    name: 'treasury stake',
    summary: 'Stake TRX of a hot wallet for the energy of sweeps',
    load: async () => (await import('./treasury-stake.command.js')).treasuryStake,
  },
  {
    name: 'treasury unstake',
    summary: 'Take staked TRX back',
    load: async () => (await import('./treasury-stake.command.js')).treasuryUnstake,
  },
  {
    name: 'treasury withdraw-stake',
    summary: 'Bring staked TRX that are due to the balance of the hot wallet',
    load: async () => (await import('./treasury-stake.command.js')).treasuryWithdrawStake,
  },
  {
    name: 'treasury cancel-stake',
    summary: 'End an order to stake that is not signed yet',
    load: async () => (await import('./treasury-stake.command.js')).treasuryCancelStake,
  },
  {
    name: 'treasury stakes',
    summary: 'Show what a hot wallet has staked, and the newest orders',
    load: async () => (await import('./treasury-stake.command.js')).treasuryStakes,
  },
];
