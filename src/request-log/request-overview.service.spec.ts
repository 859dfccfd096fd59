import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aMerchant } from '../../test/support/factories.js';
import { addRequests } from '../../test/support/logged-requests.js';
import { readTypedByGenericPlan } from '../../test/support/query-plan.js';
import { query } from '../../test/support/sql.js';
import { ApiKeysService } from '../auth/api-keys.service.js';
import { findLogged, findLoggedOn } from '../explain/timeline/timeline.sql.js';
import type { SqlText } from '../platform/sql/sql.js';
import { listRequestsQuery } from './request-filter.schema.js';
import { RequestOverview } from './request-overview.service.js';
import { errorGroups, requestPage } from './request-page.sql.js';

const COUNT = 6_000;
const LIVE_COUNT = 2_000;
/** The newest request; the oldest one of sandbox is 100 minutes before it. */
const UNTIL = new Date(Date.now() - 60_000);

interface Caller {
  readonly merchantId: string;
  readonly keyId: string;
}

let db: TestDatabase;
let requests: RequestOverview;
let callers: readonly Caller[];
/** Of the first one of them, with a few requests. */
let rare: Caller;

async function callerOf(merchantId: string, environment: 'sandbox' | 'live'): Promise<Caller> {
  const { id } = await db.database.transaction((tx) => new ApiKeysService().createKey(tx, { merchantId, environment }));
  return { merchantId, keyId: id };
}

beforeAll(async () => {
  db = await freshDatabase();
  requests = new RequestOverview(db.database);
  const merchants: string[] = [];
  for (let n = 0; n < 5; n++) merchants.push((await aMerchant(db.database)).merchantId);
  await db.query(`update merchant set live_verified_at = now()`);
  callers = await Promise.all(merchants.map((id) => callerOf(id, 'sandbox')));
  const live = await Promise.all(merchants.map((id) => callerOf(id, 'live')));
  rare = await callerOf(merchants[0] ?? '', 'sandbox');
  const { database } = db;
  await addRequests(database, { environment: 'sandbox', callers, count: COUNT, until: UNTIL });
  await addRequests(database, { environment: 'live', callers: live, count: LIVE_COUNT, until: UNTIL });
  await addRequests(database, {
    environment: 'sandbox',
    callers: [rare],
    count: 30,
    until: new Date(UNTIL.getTime() - 3_600_500),
  });
  await query(db.owner, 'analyze api_request');
});
afterAll(() => db.drop());

type Filter = Readonly<Record<string, string>>;

async function pages(filter: Filter): Promise<string[]> {
  const all: string[] = [];
  for (let after: string | undefined; ;) {
    const asked = { ...filter, limit: '100', ...(after !== undefined && { starting_after: after }) };
    const page = await requests.list('sandbox', listRequestsQuery.parse(asked));
    all.push(...page.slice(0, 100).map(({ id }) => id));
    if (page.length <= 100) return all;
    after = all.at(-1);
  }
}

async function plainly(condition: string, values: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from api_request where environment = 'sandbox' and ${condition} order by id desc`,
    values,
  );
  return rows.map(({ id }) => id);
}

/** The middle of the log, as dates of a filter. */
const MIDDLE = {
  created_gte: new Date(UNTIL.getTime() - 4_000_000).toISOString(),
  created_lt: new Date(UNTIL.getTime() - 2_000_000).toISOString(),
};
const IN_THE_MIDDLE = `created_at >= '${MIDDLE.created_gte}' and created_at < '${MIDDLE.created_lt}'`;

const NONE = (): readonly string[] => [];
const FILTERS: readonly [
  what: string,
  filter: () => Filter,
  condition: string,
  index: RegExp,
  values: () => readonly string[],
][] = [
  ['without a filter', () => ({}), 'true', /_pkey/, NONE],
  ['of answers that succeeded', () => ({ status: '2xx' }), 'status < 300', /_pkey/, NONE],
  ['of 4xx', () => ({ status: '4xx' }), 'status between 400 and 499', /_errors/, NONE],
  ['of 5xx', () => ({ status: '5xx' }), 'status >= 500', /_errors/, NONE],
  ['without an answer', () => ({ status: 'none' }), 'status is null', /_errors/, NONE],
  ['of a code', () => ({ error_code: 'price_unavailable' }), `error_code = 'price_unavailable'`, /_errors/, NONE],
  ['of a method', () => ({ method: 'PATCH' }), `method = 'PATCH'`, /_by_method/, NONE],
  ['of POST', () => ({ method: 'POST' }), `method = 'POST'`, /_pkey/, NONE],
  ['of a route', () => ({ route: '/v1/withdrawals' }), `route = '/v1/withdrawals'`, /_by_route/, NONE],
  ['of a merchant', () => ({ merchant_id: rare.merchantId }), 'merchant_id = $1', /_by_key/, () => [rare.merchantId]],
  ['of a key', () => ({ api_key_id: rare.keyId }), 'api_key_id = $1', /_by_key/, () => [rare.keyId]],
  ['of dates', () => MIDDLE, IN_THE_MIDDLE, /_pkey/, NONE],
  [
    'of a code, a merchant, a route and dates',
    () => ({ ...MIDDLE, error_code: 'invalid_request', merchant_id: callers[0]?.merchantId ?? '', method: 'PATCH' }),
    `error_code = 'invalid_request' and merchant_id = $1 and method = 'PATCH' and ${IN_THE_MIDDLE}`,
    /_errors|^Bitmap Heap Scan on api_request$/,
    () => [callers[0]?.merchantId ?? ''],
  ],
];

const scansOf = async (statement: SqlText | null): Promise<readonly string[]> => {
  if (statement === null) throw new Error('The filter can match nothing.');
  const { scans } = await readTypedByGenericPlan(db.database, statement);
  return scans.filter((scan) => scan.includes('api_request'));
};

describe('the list of requests', () => {
  it.each(FILTERS)('%s is that of one plain query, page by page', async (_what, filter, condition, _index, values) => {
    const expected = await plainly(condition, values());
    expect(expected.length).toBeGreaterThan(2);
    expect(await pages(filter())).toEqual(expected);
  });

  it.each(FILTERS)('%s is read along an index, also far down', async (_what, filter, _condition, index) => {
    const all = await pages(filter());
    for (const after of [null, all[Math.floor(all.length / 2)] ?? null]) {
      const { limit: _limit, ...parsed } = listRequestsQuery.parse(filter());
      const scans = await scansOf(requestPage('sandbox', parsed, { after, rows: 26 }));
      expect(scans.length).toBeGreaterThan(0);
      for (const scan of scans) expect(scan.replace(/^Index Scan .* by api_request/, '')).toMatch(index);
    }
  });

  it('finds one request by its id, in its environment alone', async () => {
    const [id = ''] = await plainly('error_code is null', []);
    expect(await pages({ request_id: id })).toEqual([id]);
    expect(await pages({ request_id: id, status: '4xx' })).toEqual([]);
    expect(await requests.list('live', listRequestsQuery.parse({ request_id: id }))).toEqual([]);
    const { limit: _limit, ...parsed } = listRequestsQuery.parse({ request_id: id });
    const scans = await scansOf(requestPage('sandbox', parsed, { after: null, rows: 26 }));
    expect(scans).toEqual(['Index Scan on api_request by api_request_pkey']);
  });

  it('is empty where a status and a code contradict each other', async () => {
    expect(await pages({ status: '5xx', error_code: 'invalid_request' })).toEqual([]);
    expect(await pages({ status: '2xx', error_code: 'invalid_request' })).toEqual([]);
  });

  it('continues after any id of a request, whether it is still kept or not, and after nothing else', async () => {
    const gone = listRequestsQuery.parse({ starting_after: 'req_01jd2v8w3q4r5s6t7v8w9x0y1z' });
    expect(await requests.list('sandbox', gone)).toEqual([]);
    const wrong = listRequestsQuery.parse({ starting_after: 'pi_01jd2v8w3q4r5s6t7v8w9x0y1z' });
    expect(() => requests.list('sandbox', wrong)).toThrow('starting_after is no id of a request.');
  });

  it('is exported in batches, up to the most', async () => {
    const batches: string[][] = [];
    for await (const batch of requests.batches('sandbox', {}, 2_500)) batches.push(batch.map(({ id }) => id));
    expect(batches.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    expect(batches.flat()).toEqual((await plainly('true', [])).slice(0, 2_500));
  });
});

describe('the errors of the last 24 hours', () => {
  it('are counted by code, method and route, the largest group first', async () => {
    const groups = await requests.errors('sandbox');
    const plain = await db.query<{ code: string; method: string; route: string; count: number; merchants: number }>(
      `select error_code as code, method, route, count(*)::int as count, count(distinct merchant_id)::int as merchants
         from api_request where environment = 'sandbox' and error_code is not null group by 1, 2, 3`,
    );
    expect(plain.length).toBeGreaterThan(5);
    const keyOf = (one: object): string => JSON.stringify(one);
    expect(
      groups
        .map(({ errorCode, method, route, count, merchants }) =>
          keyOf({ code: errorCode, method, route, count, merchants }),
        )
        .toSorted(),
    ).toEqual(plain.map(keyOf).toSorted());
    expect(groups.map(({ count }) => count)).toEqual(groups.map(({ count }) => count).toSorted((a, b) => b - a));
    expect(groups.some(({ isMore }) => isMore)).toBe(false);
  });

  it('are those since a moment, counted up to a number of each code, and the groups say so', async () => {
    const window = { since: new Date(MIDDLE.created_lt), max: 50, limit: 100 };
    const groups = await db.database.rows(errorGroups('sandbox', window));
    const ofInvalid = groups.filter(({ errorCode }) => errorCode === 'invalid_request');
    expect(ofInvalid.map(({ isMore }) => isMore)).toEqual(ofInvalid.map(() => true));
    expect(ofInvalid.reduce((sum, { count }) => sum + count, 0)).toBe(51);
    const none = { ...window, since: new Date(UNTIL.getTime() + 1_000) };
    expect(await db.database.rows(errorGroups('sandbox', none))).toEqual([]);
  });

  it('are read along the index of errors', async () => {
    const scans = await scansOf(errorGroups('sandbox', { since: UNTIL, max: 10_000, limit: 100 }));
    expect(scans).toEqual(['Index Scan on api_request by api_request_errors']);
  });
});

describe('the calls of one object', () => {
  it('are read along an index', async () => {
    const [id = ''] = await plainly('true', []);
    expect(await scansOf(findLogged('sandbox', id))).toEqual(['Index Scan on api_request by api_request_pkey']);
    expect(await scansOf(findLoggedOn('sandbox', 'pi_rare', 100))).toEqual([
      'Index Scan on api_request by api_request_by_resource',
    ]);
  });
});
