import { newId } from '../../src/domain/ids.js';
import type { ListPage } from '../../src/http/pagination.js';
import type { PocketObject } from '../../src/ledger/pocket.schema.js';
import type { WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import { refusalOf } from '../http/refusal.js';
import { addKey, addMerchant } from '../http/tenants.js';
import type { ApiClient } from '../support/api-client.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { entriesOf, filledPocket, freezeMerchant, getWithdrawal, pocketOn, withdraw } from './withdrawals.js';

const PATH = '/v1/withdrawals';

let world: World;
/** A merchant whose withdrawals are never signed, and its pockets. */
let api: ApiClient;
let pockets: readonly [PocketObject, PocketObject];
let stranger: ApiClient;
beforeAll(async () => {
  world = await startWorld({ forged: BROKEN_BY_COPIES });
  const merchantId = await addMerchant(world, 'Never signed for');
  await freezeMerchant(world.database, merchantId, 'Its withdrawals stay in flight.');
  api = await addKey(world, merchantId, 'sandbox');
  pockets = [await filledPocket(world, { api }), await filledPocket(world, { api, token: 'USDT' })];
  stranger = await addKey(world, await addMerchant(world, 'Stranger'), 'sandbox');
});
afterAll(() => world.stop());

async function page(filter: Readonly<Record<string, string>> = {}, by = api): Promise<ListPage<WithdrawalObject>> {
  const { status, body, text } = await by.get<ListPage<WithdrawalObject>>(
    `${PATH}?${new URLSearchParams(filter).toString()}`,
  );
  if (status !== 200) throw new Error(`No list: ${text}`);
  return body;
}
const idsOf = ({ data }: ListPage<WithdrawalObject>): string[] => data.map(({ id }) => id);
const refused = async (filter: string) => refusalOf(await api.get(`${PATH}?${filter}`));

/** A copy has no booking, no transaction and no event. */
const BROKEN_BY_COPIES = ['withdrawals_are_booked', 'completed_are_paid_once', 'endings_are_told_once'];

/** Copies a withdrawal as one that has ended, with some of its columns replaced. */
async function endedCopy(id: string, columns: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const copy = newId('wd_');
  const ended = { status: 'completed', tx_hash: '0x7a', completed_at: '2026-01-31T12:00:00Z', waiting_reason: null };
  await query(
    world.database,
    `insert into withdrawal
     select (jsonb_populate_record(original, $2::jsonb)).* from withdrawal original where id = $1`,
    [id, JSON.stringify({ ...ended, ...columns, id: copy })],
  );
  return copy;
}

it('a merchant without withdrawals has an empty list', async () => {
  expect(await page({}, stranger)).toEqual({ object: 'list', has_more: false, next_cursor: null, data: [] });
});

it('returns whole objects, newest first, page by page without gaps or duplicates, also at one creation time [A-12]', async () => {
  const { body: created } = await withdraw(api, pockets[0].id);
  expect(await page()).toMatchObject({
    has_more: false,
    next_cursor: null,
    data: [await getWithdrawal(api, created.id)],
  });
  const copies = Array.from({ length: 29 }, () => endedCopy(created.id));
  const ids = [created.id, ...(await Promise.all(copies))].toSorted().toReversed();
  expect(idsOf(await page())).toEqual(ids.slice(0, 25));
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const next: ListPage<WithdrawalObject> = await page({
      limit: '7',
      ...(cursor !== '' && { starting_after: cursor }),
    });
    expect(next.next_cursor).toBe(next.has_more ? next.data.at(-1)?.id : null);
    seen.push(...idsOf(next));
    cursor = next.next_cursor;
  }
  expect(seen).toEqual(ids);
});

it('is narrowed by status, pocket and creation time, alone and together', async () => {
  const { body: other } = await withdraw(api, pockets[1].id);
  const failure = { failure_code: 'transaction_reverted', failure_message: 'Refused.', completed_at: null };
  const failed = await endedCopy(other.id, { ...failure, status: 'failed', created_at: '2026-01-31T12:00:00Z' });
  const late = await endedCopy(other.id, { created_at: '2026-01-31T12:00:00.001Z' });
  const [, second] = pockets;
  expect(idsOf(await page({ status: 'failed' }))).toEqual([failed]);
  expect(idsOf(await page({ pocket_id: second.id }))).toEqual([other.id, late, failed]);
  expect(idsOf(await page({ pocket_id: second.id, status: 'broadcasting' }))).toEqual([other.id]);
  expect(idsOf(await page({ created_lt: '2026-02-01' }))).toEqual([late, failed]);
  expect(idsOf(await page({ created_gte: '2026-01-31T12:00:00.001Z', created_lt: '2026-02-01' }))).toEqual([late]);
  expect(idsOf(await page({ starting_after: late, pocket_id: second.id }))).toEqual([failed]);
  expect((await page({ status: 'broadcasting' })).data).toHaveLength(2);
});

it('accepts the status queued and answers an empty page, because no withdrawal is ever in it [spec 2.2 status]', async () => {
  expect(await page({ status: 'queued' })).toEqual({ object: 'list', has_more: false, next_cursor: null, data: [] });
});

it('refuses an unknown filter, and a foreign cursor or pocket in the words for one that does not exist [A-10] [A-11] [B-20]', async () => {
  const own = await pocketOn(stranger, 'polygon');
  const [id = ''] = idsOf(await page());
  for (const [param, value] of [
    ['status', 'canceled'],
    ['status', ''],
    ['limit', '101'],
    ['limit', '0'],
    ['created_gte', 'yesterday'],
    ['created_lt', '2026-02-30'],
    ['starting_after', newId('wd_')],
    ['starting_after', own.id],
    ['pocket_id', newId('pkt_')],
    ['pocket_id', own.id],
    ['network', 'polygon'],
  ] as const) {
    expect([param, value, await refused(`${param}=${value}`)]).toEqual([
      param,
      value,
      { status: 400, code: 'invalid_request', param },
    ]);
  }
  expect(refusalOf(await stranger.get(`${PATH}?starting_after=${id}`))).toMatchObject({ param: 'starting_after' });
  expect(refusalOf(await stranger.get(`${PATH}/${id}`))).toEqual({ status: 404, code: 'not_found' });
});

it('appears in the entries of the pocket too, where a hold names its withdrawal', async () => {
  const [inFlight] = (await page({ pocket_id: pockets[1].id, status: 'broadcasting' })).data;
  const [out, paidIn, ...rest] = await entriesOf(api, pockets[1]);
  const units = ((inFlight?.amount_cents ?? 0) + (inFlight?.network_fee_cents ?? 0)) * 10_000;
  expect(out).toMatchObject({ kind: 'withdrawal', reference: `withdrawal:${inFlight?.id}`, amount: String(-units) });
  expect([paidIn?.kind, rest]).toEqual(['deposit', []]);
});
