import type { components, operations } from '../../api/schema.d.ts';
import type { NETWORK_WORDS } from '../../ui/networks.ts';
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
type StatusWord = (typeof STATUS_WORDS)[number];

const ALIASES = { requires_payment: 'requires_action', canceled: 'cancelled' } as const;
const isAlias = (word: StatusWord): word is keyof typeof ALIASES => word in ALIASES;

/** The name of a status that may be another spelling of it. */
export const statusNamed = (word: StatusWord): Exclude<StatusWord, keyof typeof ALIASES> =>
  isAlias(word) ? ALIASES[word] : word;
/** Each status once, as the filter offers them. */
export const STATUSES = [...new Set(STATUS_WORDS.map(statusNamed))];
export const UNUSUAL_WORDS = ['any', 'under', 'over'] as const;

/** The filters and the cursor of the list, as they stand in the address. */
export interface IntentsSearch {
  status: StatusWord;
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
export const INTENT_TONE: Readonly<Record<components['schemas']['StaffIntent']['status'], Tone>> = {
  requires_action: 'neutral',
  processing: 'busy',
  completed: 'good',
  failed: 'bad',
  expired: 'paused',
  cancelled: 'paused',
};
