import type { components } from '../../api/schema.d.ts';

export type SearchResult = components['schemas']['SearchResult'];
export type SearchHit = components['schemas']['SearchHit'];

const PLACES: Readonly<Record<SearchHit['opens']['page'], (id: string) => string | null>> = {
  intent: (id) => `intents/${id}`,
  withdrawal: (id) => `withdrawals/${id}`,
  delivery: (id) => `deliveries/${id}`,
  deliveries: (id) => `deliveries?event_id=${id}`,
  endpoint: (id) => `endpoints/${id}`,
  pocket: (id) => `pockets/${id}`,
  merchant: (id) => `merchants/${id}`,
  requests: (id) => `requests?request_id=${id}`,
  deposit: (id) => `deposits/${id}`,
  none: () => null,
};

/** The address of the page that shows a hit; null when none does. */
export function hrefOfHit({ environment, opens }: SearchHit): string | null {
  const place = PLACES[opens.page](opens.id);
  return place === null ? null : `/${environment}/${place}`;
}

/** The hit that opens by itself: the only one, and nothing else in the text needs a look. */
export function onlyHit({ hits, elsewhere, unknown }: SearchResult): SearchHit | null {
  const [first, ...others] = hits.filter(({ kind }) => kind !== 'merchant');
  const isOnly = first !== undefined && others.length === 0 && elsewhere.length === 0 && unknown.length === 0;
  if (isOnly) return first;
  return hits.length === 1 && elsewhere.length === 0 && unknown.length === 0 ? (hits[0] ?? null) : null;
}

export const KIND_NAME: Readonly<Record<SearchHit['kind'], string>> = {
  payment_intent: 'Payment intent',
  withdrawal: 'Withdrawal',
  event: 'Event',
  delivery: 'Delivery',
  webhook_endpoint: 'Endpoint',
  pocket: 'Pocket',
  merchant: 'Merchant',
  deposit: 'Deposit',
  api_request: 'API request',
};

export const MATCH_NAME: Readonly<Record<SearchHit['matches'][number]['by'], string>> = {
  id: 'its id',
  address: 'its address',
  transaction_hash: 'the transaction',
  reference: 'its reference',
  idempotency_key: 'its idempotency key',
  request_id: 'the request',
};
