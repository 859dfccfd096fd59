import type { RegisteredCommand } from '../registered-command.js';

/** The commands about networks. */
export const NETWORK_COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'networks pause',
    summary: 'Stop reading a network until it is resumed',
    load: async () => (await import('./networks.command.js')).networksPause,
  },
  {
    name: 'networks resume',
    summary: 'Continue to read a paused network',
    load: async () => (await import('./networks.command.js')).networksResume,
  },
];
