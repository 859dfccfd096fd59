import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aMerchant } from '../../../test/support/factories.js';
import { newId } from '../../domain/ids.js';
import { NetworkViews } from '../../offers/network-views.service.js';
import { IntentReader } from './intent-reader.service.js';
import { listStaffIntentsQuery } from './staff-intent.schema.js';
import { StaffIntents } from './staff-intents.service.js';

const COUNT = 600;

let db: TestDatabase;
let intents: StaffIntents;
let merchants: readonly string[];

/** 600 intents of 40 merchants: all networks, tokens and statuses, several of one moment, some with too little or too much. */
beforeAll(async () => {
  db = await freshDatabase();
  const { database } = db;
  intents = new StaffIntents(database, new IntentReader(database, new NetworkViews(database)));
  const owners: string[] = [];
  for (let n = 0; n < 40; n++) owners.push((await aMerchant(database)).merchantId);
  merchants = owners;
  const ids = Array.from({ length: COUNT }, () => newId('pi_'));
  await db.query(
    `insert into payment_intent (id, merchant_id, environment, status, failure_code, amount_cents, currency,
       settlement_currency, network, token, reference, overpaid_amount_cents, created_at, updated_at, expires_at, due_at,
       completed_at)
     select id, ($2::text[])[1 + n * n % 40], case when n % 7 = 0 then 'live' else 'sandbox' end, status,
            case when status = 'failed' then 'underpaid' end, 2500, 'USD', 'USDC',
            (array['ethereum', 'polygon', 'bnb', 'solana', 'tron'])[1 + n % 5], (array['USDC', 'USDT', 'ETH'])[1 + n % 3],
            case when n % 4 = 0 then 'shared' end, case when n % 11 = 0 then 5 else 0 end,
            timestamptz '2026-01-01' + (n / 3) * interval '1 minute', now(), now(), now(),
            case when status = 'completed' then now() end
       from unnest($1::text[]) with ordinality as given (id, n)
      cross join lateral (select (array['requires_action', 'processing', 'completed', 'failed', 'expired', 'cancelled'])
        [1 + (n * 7 % 6)::int] as status) as one`,
    [ids, owners],
  );
});
afterAll(() => db.drop());

type Filter = Readonly<Record<string, string>>;

async function pages(filter: Filter): Promise<string[]> {
  const all: string[] = [];
  for (let after: string | undefined; ;) {
    const query = listStaffIntentsQuery.parse({
      ...filter,
      limit: '17',
      ...(after !== undefined && { starting_after: after }),
    });
    const page = await intents.list('sandbox', query);
    all.push(...page.slice(0, 17).map(({ stored }) => stored.id));
    if (page.length <= 17) return all;
    after = all.at(-1);
  }
}

async function plainly(condition: string, values: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from payment_intent where environment = 'sandbox' and ${condition} order by created_at desc, id desc`,
    values,
  );
  return rows.map(({ id }) => id);
}

describe('the list of intents for staff', () => {
  it.each<[what: string, filter: () => Filter, condition: string, values?: () => readonly string[]]>([
    ['without a filter', () => ({}), 'true'],
    ['of a status', () => ({ status: 'failed' }), `status = 'failed'`],
    ['of a status in the other spelling', () => ({ status: 'canceled' }), `status = 'cancelled'`],
    ['of a network', () => ({ network: 'bnb' }), `network = 'bnb'`],
    ['of a token', () => ({ token: 'USDT' }), `token = 'USDT'`],
    [
      'of a token and a status',
      () => ({ token: 'ETH', status: 'completed' }),
      `token = 'ETH' and status = 'completed'`,
    ],
    ['of a merchant', () => ({ merchant_id: merchants[1] ?? '' }), 'merchant_id = $1', () => [merchants[1] ?? '']],
    ['of a reference', () => ({ reference: 'shared' }), `reference = 'shared'`],
    ['with too little', () => ({ unusual: 'under' }), `failure_code = 'underpaid'`],
    ['with too much', () => ({ unusual: 'over' }), 'overpaid_amount_cents > 0'],
    ['with either', () => ({ unusual: 'any' }), `(failure_code = 'underpaid' or overpaid_amount_cents > 0)`],
    [
      'of a time, a network and a status',
      () => ({
        created_gte: '2026-01-01T00:20:00Z',
        created_lt: '2026-01-01T02:00:00Z',
        network: 'tron',
        status: 'completed',
      }),
      `created_at >= '2026-01-01T00:20:00Z' and created_at < '2026-01-01T02:00:00Z' and network = 'tron' and status = 'completed'`,
    ],
  ])('%s is that of one plain query, page by page', async (_what, filter, condition, values = () => []) => {
    const expected = await plainly(condition, values());
    expect(expected.length).toBeGreaterThan(2);
    expect(await pages(filter())).toEqual(expected);
  });

  it('refuses a cursor of the other environment', async () => {
    const [live] = await db.query<{ id: string }>(`select id from payment_intent where environment = 'live' limit 1`);
    const query = listStaffIntentsQuery.parse({ starting_after: live?.id ?? '' });
    await expect(intents.list('sandbox', query)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
