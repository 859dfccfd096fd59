import type { RegisteredCommand } from '../registered-command.js';

/** The commands about payment intents. */
export const INTENT_COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'intent find',
    summary: 'Find intents by reference, address or transaction',
    load: async () => (await import('./intent-find.command.js')).intentFind,
  },
  {
    name: 'intent cancel',
    summary: 'Cancel an open intent without a payment',
    load: async () => (await import('./intent.command.js')).intentCancel,
  },
  {
    name: 'intent quarantined',
    summary: 'List intents that could not be settled',
    load: async () => (await import('./intent.command.js')).intentQuarantined,
  },
  {
    name: 'intent retry',
    summary: 'Settle a quarantined intent again',
    load: async () => (await import('./intent.command.js')).intentRetry,
  },
  {
    name: 'explain',
    summary: 'Explain the status of an intent and what to do',
    load: async () => (await import('./explain.command.js')).explainIntentCommand,
  },
];
