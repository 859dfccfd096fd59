import type { operations } from '../../api/schema.d.ts';
import type { Tone } from '../../ui/status-badge.tsx';

type Query = NonNullable<operations['listIntents']['parameters']['query']>;

/** Every spelling that the status filter of the API takes. */
export const STATUS_WORDS = [
  'requires_action',
  'requires_payment',
  'processing',
  'completed',
  'failed',
  'expired',
  'cancelled',
  'canceled',
] as const;
export const NETWORK_WORDS = ['ethereum', 'polygon', 'bnb', 'solana', 'tron'] as const;
export const UNUSUAL_WORDS = ['any', 'under', 'over'] as const;

/** The filters and the cursor of the list, as they stand in the address. */
export interface IntentsSearch {
  status: (typeof STATUS_WORDS)[number];
  network: (typeof NETWORK_WORDS)[number];
  unusual: (typeof UNUSUAL_WORDS)[number];
  token: string;
  merchant_id: string;
  reference: string;
  created_gte: string;
  created_lt: string;
  after: string;
}

/** The query of the service for filters of the address. */
export function queryOf({ after, ...filters }: Partial<IntentsSearch>): Query {
  return { ...filters, limit: 25, ...(after !== undefined && { starting_after: after }) };
}

/** How a status is to be read. */
export const INTENT_TONE: Readonly<Record<string, Tone>> = {
  requires_action: 'neutral',
  processing: 'busy',
  completed: 'good',
  failed: 'bad',
  expired: 'paused',
  cancelled: 'paused',
};
