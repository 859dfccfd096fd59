import { place } from './compiled.ts';
import type { DeliveriesTable } from './deliveries-table.ts';

type Compiled = typeof import('../src/platform/sql/sql.js');
type IntentPage = typeof import('../src/payments/intents/staff-intent-page.sql.js');
type DeliveryPage = typeof import('../src/webhooks/overview/delivery-search.sql.js');

/** A statement of the service. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A place in a list. */
export interface Place {
  readonly id: string;
  readonly createdAt: string;
}

/** A list of the console with one of its filters. */
export interface ConsoleList {
  readonly name: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The table, and which of its rows the filter finds. */
  readonly table: 'payment_intent' | 'delivery';
  readonly where: string;
  /** The statement of a page. */
  readonly page: (cursor: Place | null) => Statement;
}

const LIMIT = 26;
const DAY_MS = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
const [FROM, UNTIL] = [daysAgo(350), daysAgo(10)];
const DATES = { created_gte: FROM, created_lt: UNTIL };
const BETWEEN = `created_at >= '${FROM}' and created_at < '${UNTIL}'`;
const IS_UNUSUAL = `(failure_code = 'underpaid' or overpaid_amount_cents > 0)`;

const { compiled }: Compiled = await import(place('platform/sql/sql.js'));

/** The lists of intents of all merchants: each filter that the page offers, and some together. */
export async function intentLists(merchantId: string): Promise<ConsoleList[]> {
  const { staffIntentPage }: IntentPage = await import(place('payments/intents/staff-intent-page.sql.js'));
  const of = (name: string, query: Record<string, string>, where: string): ConsoleList => ({
    name: `intents, ${name}`,
    path: '/intents',
    query,
    table: 'payment_intent',
    where,
    page: (cursor) => compiled(staffIntentPage('sandbox', query, { cursor, rows: LIMIT })),
  });
  return [
    of('unfiltered', {}, 'true'),
    of('status', { status: 'completed' }, `status = 'completed'`),
    of('rare status', { status: 'failed' }, `status = 'failed'`),
    of('network', { network: 'bnb' }, `network = 'bnb'`),
    of('token', { token: 'USDC' }, `token = 'USDC'`),
    of('merchant', { merchant_id: merchantId }, `merchant_id = '${merchantId}'`),
    of('reference', { reference: 'order-777' }, `reference = 'order-777'`),
    of('paid too much', { unusual: 'over' }, 'overpaid_amount_cents > 0'),
    of('unusual', { unusual: 'any' }, IS_UNUSUAL),
    of('dates', DATES, BETWEEN),
    of('network and status', { network: 'ethereum', status: 'expired' }, `network = 'ethereum' and status = 'expired'`),
    of(
      'merchant, status and dates',
      { merchant_id: merchantId, status: 'failed', ...DATES },
      `merchant_id = '${merchantId}' and status = 'failed' and ${BETWEEN}`,
    ),
  ];
}

/** The lists of deliveries of all merchants: each filter that the page offers, and some together. */
export async function deliveryLists({ merchantId, endpointId }: DeliveriesTable): Promise<ConsoleList[]> {
  const { searchPage }: DeliveryPage = await import(place('webhooks/overview/delivery-search.sql.js'));
  const of = (name: string, query: Record<string, string>, where: string): ConsoleList => ({
    name: `deliveries, ${name}`,
    path: '/deliveries',
    query,
    table: 'delivery',
    where: `${where} and not superseded`,
    page: (cursor) => {
      const page = searchPage('sandbox', query, { limit: LIMIT, cursor });
      if (page === null) throw new Error(`Nothing can match "${name}".`);
      return compiled(page);
    },
  });
  return [
    of('unfiltered', {}, 'true'),
    of('delivered', { status: 'delivered' }, `status = 'delivered'`),
    of('dead letters', { status: 'dead_letter' }, `status = 'dead_letter'`),
    of('waiting', { status: 'pending' }, `status = 'pending'`),
    of('cancelled', { status: 'cancelled' }, `status = 'cancelled'`),
    of('2xx', { response: '2xx' }, 'last_response_status between 200 and 299'),
    of('3xx', { response: '3xx' }, 'last_response_status between 300 and 399'),
    of('4xx', { response: '4xx' }, 'last_response_status between 400 and 499'),
    of('5xx', { response: '5xx' }, 'last_response_status between 500 and 599'),
    of('no answer', { response: 'none' }, 'last_error_code is not null'),
    of('endpoint', { endpoint_id: endpointId }, `endpoint_id = '${endpointId}'`),
    of('merchant', { merchant_id: merchantId }, `merchant_id = '${merchantId}'`),
    of('event type', { event_type: 'payment_intent.completed' }, `event_type = 'payment_intent.completed'`),
    of('dates', DATES, BETWEEN),
    of(
      'merchant, dead, 4xx and dates',
      { merchant_id: merchantId, status: 'dead_letter', response: '4xx', ...DATES },
      `merchant_id = '${merchantId}' and status = 'dead_letter' and last_response_status between 400 and 499 and ${BETWEEN}`,
    ),
  ];
}
