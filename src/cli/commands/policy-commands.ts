import type { RegisteredCommand } from '../registered-command.js';

/** The commands about the limits of withdrawals, and the sanctions list. */
export const POLICY_COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'policy show',
    summary: "Show the limits of a merchant's withdrawals",
    load: async () => (await import('./policy.command.js')).policyShow,
  },
  {
    name: 'policy set',
    summary: "Limit a merchant's withdrawals",
    load: async () => (await import('./policy.command.js')).policySet,
  },
  {
    name: 'policy allow',
    summary: "Put an address on a merchant's allow-list",
    load: async () => (await import('./policy.command.js')).policyAllow,
  },
  {
    name: 'policy disallow',
    summary: "Take an address off a merchant's allow-list",
    load: async () => (await import('./policy.command.js')).policyDisallow,
  },
  {
    name: 'policy pocket-limit',
    summary: 'Limit what a pocket may pay out in 24 hours',
    load: async () => (await import('./policy.command.js')).policyPocketLimit,
  },
  {
    name: 'policy approval-above',
    summary: 'Require an approval for large withdrawals from a pocket',
    load: async () => (await import('./policy.command.js')).policyApprovalAbove,
  },
  {
    name: 'sanctions import',
    summary: 'Import the current sanctions list',
    load: async () => (await import('./sanctions.command.js')).sanctionsImport,
  },
  {
    name: 'sanctions status',
    summary: 'Show how old the sanctions list is',
    load: async () => (await import('./sanctions.command.js')).sanctionsStatus,
  },
  {
    name: 'sanctions check',
    summary: 'Check whether an address is on the sanctions list',
    load: async () => (await import('./sanctions.command.js')).sanctionsCheck,
  },
];
