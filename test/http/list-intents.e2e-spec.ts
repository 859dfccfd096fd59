import { newId } from '../../src/domain/ids.js';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import type { ApiClient } from '../support/api-client.js';
import { COMPLETED_BY_SQL, copyIntent, createIntent, getIntent, putInStatus } from './intents.js';
import { refusalOf } from './refusal.js';
import { addKey, addMerchant, openLivePolygon } from './tenants.js';
import { startWorld, type World } from '../support/world.js';

interface Page {
  readonly object: string;
  readonly has_more: boolean;
  readonly next_cursor: string | null;
  readonly data: readonly PaymentIntentObject[];
}

const PATH = '/v1/payment-intents';
const STATUSES = ['requires_action', 'processing', 'completed', 'failed', 'cancelled', 'expired'] as const;

let world: World;
beforeAll(async () => {
  world = await startWorld({ networks: ['polygon', 'bnb'], forged: COMPLETED_BY_SQL });
});
afterAll(() => world.stop());

/** A merchant of its own for a test, so that a list holds what the test made and nothing else. */
const newMerchant = async (): Promise<ApiClient> =>
  addKey(world, await addMerchant(world, 'A merchant of its own'), 'sandbox');
async function page(api: ApiClient, query: Readonly<Record<string, string>> = {}): Promise<Page> {
  const { status, body, text } = await api.get<Page>(`${PATH}?${new URLSearchParams(query).toString()}`);
  if (status !== 200) throw new Error(`No list: ${text}`);
  return body;
}
const idsOf = ({ data }: Pick<Page, 'data'>): string[] => data.map(({ id }) => id);
const refused = async (query: string, api = world.api) => refusalOf(await api.get(`${PATH}?${query}`));
/** Intents with one and the same creation time; returns their ids in the order of the list. */
async function intentsOfOneMoment(api: ApiClient, count: number): Promise<string[]> {
  const { id } = await createIntent(api);
  const ids = [id];
  while (ids.length < count) ids.push(await copyIntent(world.database, id));
  return ids.toSorted().toReversed();
}

describe('a page', () => {
  it('of a merchant without intents is empty [spec 2.3 object, data]', async () => {
    expect(await page(await newMerchant())).toEqual({ object: 'list', has_more: false, next_cursor: null, data: [] });
  });

  it('holds whole intents, newest first, and points to the next one [spec 2.3 has_more, next_cursor, data] [spec 4.5 order, response]', async () => {
    const api = await newMerchant();
    const [oldest, middle, newest] = [
      await createIntent(api, { reference: 'a' }),
      await createIntent(api, { settlement_currency: 'USDC' }),
      await createIntent(api),
    ];
    expect(await page(api)).toEqual({
      object: 'list',
      has_more: false,
      next_cursor: null,
      data: [newest, middle, oldest],
    });
    const first = await page(api, { limit: '2' });
    expect(first).toEqual({ object: 'list', has_more: true, next_cursor: middle.id, data: [newest, middle] });
    const last = await page(api, { limit: '2', starting_after: middle.id });
    expect(last).toEqual({ object: 'list', has_more: false, next_cursor: null, data: [oldest] });
  });

  it('shows when a completed intent was completed [spec 2.1 completed_at] [spec 2.3 data]', async () => {
    const api = await newMerchant();
    const { id } = await createIntent(api);
    await putInStatus(world.database, id, 'completed');
    const { data } = await page(api);
    expect(data).toEqual([await getIntent(api, id)]);
    expect(data[0]?.completed_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('has 25 intents unless a limit from 1 to 100 asks for others [spec 4.5 limit] [spec 8 page size]', async () => {
    const api = await newMerchant();
    const ids = await intentsOfOneMoment(api, 101);
    expect(idsOf(await page(api))).toEqual(ids.slice(0, 25));
    expect(idsOf(await page(api, { limit: '1' }))).toEqual(ids.slice(0, 1));
    expect(idsOf(await page(api, { limit: '100' }))).toEqual(ids.slice(0, 100));
  });

  it('nothing twice and nothing missing at one creation time, while new intents arrive [spec 4.5 starting_after] [A-12]', async () => {
    const api = await newMerchant();
    const ids = await intentsOfOneMoment(api, 40);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const next = await page(api, { limit: '7', ...(cursor !== null && { starting_after: cursor }) });
      seen.push(...idsOf(next));
      cursor = next.next_cursor;
      await Promise.all([createIntent(api), createIntent(api)]);
    } while (cursor !== null);
    expect(seen).toEqual(ids);
  });
});

describe('the status filter', () => {
  it('takes the five names of the specification and every status that is emitted [spec 4.5 status] [spec 3.1 rule 4] [A-14]', async () => {
    const api = await newMerchant();
    const byStatus = new Map<string, string>();
    for (const status of STATUSES) {
      const { id } = await createIntent(api);
      await putInStatus(world.database, id, status);
      byStatus.set(status, id);
    }
    const spelled = { requires_payment: 'requires_action', canceled: 'cancelled' };
    const filters = [...STATUSES.map((status) => [status, status] as const), ...Object.entries(spelled)];
    for (const [filter, status] of filters) {
      const { data } = await page(api, { status: filter });
      expect(data.map((intent) => [intent.id, intent.status])).toEqual([[byStatus.get(status), status]]);
    }
  });

  it.each(['created', 'succeeded', 'Completed', '', 'processing,expired', 'null'])(
    'refuses %j with its param [A-14]',
    async (status) => {
      expect(await refused(`status=${status}`)).toEqual({ status: 400, code: 'invalid_request', param: 'status' });
    },
  );
});

describe('the network filter', () => {
  it('takes all five names, whether or not they are enabled, and finds what is on them [spec 4.5 network]', async () => {
    const api = await newMerchant();
    const [onPolygon, onBnb] = [await createIntent(api), await createIntent(api, { network: 'bnb' })];
    const expected = { ethereum: [], polygon: [onPolygon.id], solana: [], tron: [], bnb: [onBnb.id] };
    for (const [network, ids] of Object.entries(expected)) expect(idsOf(await page(api, { network }))).toEqual(ids);
    expect(idsOf(await page(api, { network: 'bnb', status: 'requires_payment' }))).toEqual([onBnb.id]);
    expect(idsOf(await page(api, { network: 'bnb', status: 'completed' }))).toEqual([]);
  });

  it.each(['bitcoin', 'Polygon', ' polygon', ''])('refuses %j with its param [A-7]', async (network) => {
    const refusal = await refused(`network=${encodeURIComponent(network)}`);
    expect(refusal).toEqual({ status: 400, code: 'invalid_request', param: 'network' });
  });
});

describe('the bounds on the creation time', () => {
  it('created_gte includes its moment and created_lt does not, in every way to write it [spec 4.5 created_gte, created_lt] [A-13]', async () => {
    const api = await newMerchant();
    const { id } = await createIntent(api);
    const at = async (time: string): Promise<string> => copyIntent(world.database, id, { created_at: time });
    const [before, on, after] = [
      await at('2026-01-31T11:59:59.999Z'),
      await at('2026-01-31T12:00:00.000Z'),
      await at('2026-01-31T12:00:00.001Z'),
    ];
    const until = { created_lt: '2026-02-01' };
    for (const moment of ['2026-01-31T12:00:00Z', '2026-02-01T02:00:00.000+14:00', '2026-01-31T13:00:00 01:00']) {
      expect(idsOf(await page(api, { created_gte: moment, ...until }))).toEqual([after, on]);
      expect(idsOf(await page(api, { created_gte: '2026-01-31', created_lt: moment }))).toEqual([before]);
    }
    const raw = await api.get<Page>(`${PATH}?created_gte=2026-01-31T13:00:00+01:00&created_lt=2026-02-01`);
    expect(idsOf(raw.body)).toEqual([after, on]);
    expect(idsOf(await page(api, { created_gte: '2026-01-31T12:00:00.0005Z', ...until }))).toEqual([after]);
    expect(idsOf(await page(api, { created_gte: '9999-12-31T23:59:59Z' }))).toEqual([]);
    expect(idsOf(await page(api, { created_gte: '2026-02-01', created_lt: '2026-01-01' }))).toEqual([]);
  });

  it.each([
    'yesterday',
    '2026-13-01',
    '2026-02-30',
    '2026-01-31T12:00:00',
    '2026-01-31T24:00:00Z',
    '2026-06-30T23:59:60Z',
    '2026-01-31T12:00:00%2B15:00',
    '10000-01-01',
    '1769860800',
    '',
  ])('refuses %j with its param [A-13]', async (moment) => {
    for (const param of ['created_gte', 'created_lt']) {
      expect(await refused(`${param}=${moment}`)).toEqual({ status: 400, code: 'invalid_request', param });
    }
  });
});

describe('a filter that looks an intent up', () => {
  it.each([
    ['address', '0x12'],
    ['address', 'somewhere'],
    ['tx_hash', '0x12'],
    ['tx_hash', 'ab'.repeat(31)],
    ['reference', 'x'.repeat(256)],
    ['reference', 'a%00b'],
  ])('%s=%s is malformed, and refused with its param', async (param, value) => {
    expect(await refused(`${param}=${value}`)).toEqual({ status: 400, code: 'invalid_request', param });
  });
});

describe('paging parameters', () => {
  it.each(['0', '101', '1.5', '25abc', '-1', '1e1', ' 5', '', '1&limit=2'])(
    'refuses the limit %j with its param [spec 4.5 limit] [spec 8 page size] [A-10]',
    async (limit) => {
      expect(await refused(`limit=${limit}`)).toEqual({ status: 400, code: 'invalid_request', param: 'limit' });
    },
  );

  it('starting_after: unknown, foreign and of the other environment are one answer [spec 4.5 starting_after] [A-11] [B-28]', async () => {
    await openLivePolygon(world);
    const foreign = await createIntent(await newMerchant());
    const live = await createIntent(await addKey(world, world.merchantId, 'live'));
    const answers = await Promise.all(
      [newId('pi_'), foreign.id, live.id, newId('evt_'), 'x', "' or 1=1 --", '..%2f'].map((id) =>
        world.api.get(`${PATH}?starting_after=${encodeURIComponent(id)}`),
      ),
    );
    for (const answer of answers) {
      expect(refusalOf(answer)).toEqual({ status: 400, code: 'invalid_request', param: 'starting_after' });
    }
    const withoutId = answers.map(({ text }) => text.replaceAll(/req_[0-9a-z]{26}/g, 'req'));
    expect(new Set(withoutId).size).toBe(1);
  });

  it('a parameter that does not exist, or comes twice: 400, and it is named [A-10]', async () => {
    expect(await refused('page=2')).toMatchObject({ status: 400, param: 'page' });
    expect(await refused('status[]=processing')).toMatchObject({ status: 400, param: 'status[]' });
    expect(await refused('status=processing&status=expired')).toMatchObject({ status: 400, param: 'status' });
  });
});
