import type { Environment } from '../domain/network.js';
import type { Permission } from '../staff/permissions.js';

/** What a page of the console may show, by topic, with the permission that its readers need. */
export const LIVE_TOPICS = {
  audit: 'audit.read',
  books: 'operations.read',
  charts: 'operations.read',
  dead_letters: 'deliveries.read',
  deliveries: 'deliveries.read',
  endpoints: 'endpoints.read',
  intents: 'intents.read',
  merchants: 'merchants.read',
  networks: 'operations.read',
  notes: 'intents.read',
  pockets: 'pockets.read',
  prices: 'operations.read',
  replay_jobs: 'deliveries.read',
  requests: 'requests.read',
  sanctions: 'operations.read',
  team: 'team.read',
  treasury: 'operations.read',
  wallet_pool: 'operations.read',
  withdrawals: 'withdrawals.read',
} as const satisfies Readonly<Record<string, Permission>>;
export type LiveTopic = keyof typeof LIVE_TOPICS;

/** Why a stream ends: no reconnection helps after the first two. */
export type EndReason = 'session_ended' | 'replaced' | 'restarting';

/** A message of a stream. `ready`: every later change is reported, so what was loaded before is loaded again. */
export type LiveMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'heartbeat' }
  | { readonly type: 'changed'; readonly environment: Environment; readonly topics: readonly LiveTopic[] }
  | { readonly type: 'end'; readonly reason: EndReason };
