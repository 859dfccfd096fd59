import type { RegisteredCommand } from '../registered-command.js';

/** The commands about webhook deliveries. */
export const DELIVERY_COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'deliveries list',
    summary: 'List webhook deliveries of all merchants',
    load: async () => (await import('./deliveries.command.js')).deliveriesList,
  },
  {
    name: 'deliveries show',
    summary: 'Show a delivery, its attempts and the answers',
    load: async () => (await import('./deliveries.command.js')).deliveriesShow,
  },
  {
    name: 'deliveries retry',
    summary: 'Send deliveries again, also acknowledged ones',
    load: async () => (await import('./deliveries-send.command.js')).deliveriesRetry,
  },
  {
    name: 'deliveries recover',
    summary: 'Send again what an endpoint did not acknowledge since a time',
    load: async () => (await import('./deliveries-send.command.js')).deliveriesRecover,
  },
  {
    name: 'deliveries send-missing',
    summary: 'Send events for which an endpoint has no delivery',
    load: async () => (await import('./deliveries-send.command.js')).deliveriesSendMissing,
  },
];
