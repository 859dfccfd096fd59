import { type CliRun, runCommand } from '../../../test/support/cli-run.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  type SeededChain,
  type SeededIntent,
} from '../../../test/support/factories.js';
import { anUnattributedDeposit } from '../../../test/support/unattributed-deposits.js';
import type { Tenant } from '../../domain/tenant.js';
import { NetworkViews } from '../../offers/network-views.service.js';
import { IntentReader } from './intent-reader.service.js';
import { listIntentsQuery } from './payment-intent.schema.js';

const HASH = `0x${'ab'.repeat(32)}`;

let db: TestDatabase;
let reader: IntentReader;
let polygon: SeededChain;
let own: Tenant;
let other: Tenant;
/** The own intents, the oldest first: paid by one transaction, whose payment of the second was orphaned. */
let first: SeededIntent;
let second: SeededIntent;
/** Another merchant's intent, and the own one of the other environment, which it paid as well. */
let foreign: SeededIntent;
let live: SeededIntent;

async function refer(reference: string, ...intents: readonly SeededIntent[]): Promise<void> {
  await db.query(`update payment_intent set reference = $1 where id = any($2)`, [
    reference,
    intents.map(({ id }) => id),
  ]);
}

beforeAll(async () => {
  db = await freshDatabase();
  const { database } = db;
  reader = new IntentReader(database, new NetworkViews(database));
  [own, other] = [await aMerchant(database), await aMerchant(database)];
  polygon = await aChain(database);
  const bnb = await aChain(database, { network: 'bnb' });
  const liveChain = await aChain(database, { environment: 'live' });
  first = await anIntent(database, { tenant: own, chain: polygon, expiresIn: 100 });
  second = await anIntent(database, { tenant: own, chain: bnb, expiresIn: 200, status: 'processing' });
  foreign = await anIntent(database, { tenant: other, chain: polygon });
  live = await anIntent(database, { tenant: { ...own, environment: 'live' }, chain: liveChain });
  await aDeposit(database, first, { txHash: HASH, status: 'confirmed' });
  await aDeposit(database, second, { txHash: HASH, status: 'orphaned' });
  await aDeposit(database, foreign, { txHash: `0x${'cd'.repeat(32)}` });
  await aDeposit(database, live, { txHash: `0x${'ef'.repeat(32)}` });
  await refer('order-1', first, second, foreign, live);
});
afterAll(() => db.drop());

const found = async (filter: Readonly<Record<string, string>>, tenant = own): Promise<string[]> =>
  (await reader.list(tenant, listIntentsQuery.parse({ limit: '10', ...filter }))).data.map(({ id }) => id);
const capitals = (text: string): string => `0x${text.slice(2).toUpperCase()}`;

describe('payment intents are found', () => {
  it('by their reference, exactly as it was given', async () => {
    expect(await found({ reference: 'order-1' })).toEqual([second.id, first.id]);
    expect(await found({ reference: 'Order-1' })).toEqual([]);
    expect(await found({ reference: 'order' })).toEqual([]);
    expect(await found({ reference: '' })).toEqual([]);
  });

  it('by their address, in any case', async () => {
    for (const address of [first.address, capitals(first.address)]) {
      expect(await found({ address })).toEqual([first.id]);
    }
    expect(await found({ address: `0x${'12'.repeat(20)}` })).toEqual([]);
  });

  it('by the transaction of a payment, in any case, also where the payment was orphaned', async () => {
    for (const hash of [HASH, capitals(HASH)]) expect(await found({ tx_hash: hash })).toEqual([second.id, first.id]);
    expect(await found({ tx_hash: `0x${'12'.repeat(32)}` })).toEqual([]);
  });

  it("never by another merchant's, nor in the other environment", async () => {
    for (const [intent, tenant] of [
      [foreign, other],
      [live, live.tenant],
    ] as const) {
      const [deposit] = await db.query<{ tx_hash: string }>(`select tx_hash from deposit where intent_id = $1`, [
        intent.id,
      ]);
      for (const [name, value] of [
        ['address', intent.address],
        ['tx_hash', deposit?.tx_hash ?? ''],
      ] as const) {
        expect(await found({ [name]: value })).toEqual([]);
        expect(await found({ [name]: value }, tenant)).toEqual([intent.id]);
      }
      expect(await found({ reference: 'order-1' }, tenant)).toEqual([intent.id]);
    }
  });

  it('not by money that belongs to no intent, though it reached the address of one', async () => {
    const id = await anUnattributedDeposit(db.database, {
      chain: polygon,
      address: first.address,
      reason: 'other_token',
    });
    const [unattributed] = await db.query<{ tx_hash: string }>(`select tx_hash from deposit where id = $1`, [id]);
    expect(await found({ tx_hash: unattributed?.tx_hash ?? '' })).toEqual([]);
  });

  it('by several filters at once, and page by page', async () => {
    const both = { reference: 'order-1', tx_hash: HASH };
    expect(await found({ ...both, address: first.address })).toEqual([first.id]);
    expect(await found({ ...both, address: foreign.address })).toEqual([]);
    expect(await found({ ...both, network: 'bnb' })).toEqual([second.id]);
    expect(await found({ reference: 'order-1', network: 'bnb', status: 'processing' })).toEqual([second.id]);
    expect(await found({ reference: 'order-1', network: 'bnb', status: 'expired' })).toEqual([]);
    const queries: readonly Readonly<Record<string, string>>[] = [both, { reference: 'order-1' }, { tx_hash: HASH }];
    for (const filter of queries) {
      expect(await found({ ...filter, status: 'requires_payment' })).toEqual([first.id]);
      expect(await found({ ...filter, created_gte: '2100-01-01' })).toEqual([]);
      const page = await reader.list(own, listIntentsQuery.parse({ limit: '1', ...filter }));
      expect(page).toMatchObject({ has_more: true, next_cursor: second.id, data: [{ id: second.id }] });
      expect(await found({ ...filter, starting_after: second.id })).toEqual([first.id]);
    }
  });

  it.each([
    ['address', '0x12'],
    ['address', `0x${'1g'.repeat(20)}`],
    ['address', '10 Downing Street'],
    ['address', ''],
    ['tx_hash', '0x12'],
    ['tx_hash', 'ab'.repeat(31)],
    ['tx_hash', ''],
    ['reference', 'x'.repeat(256)],
    ['reference', 'a\0b'],
  ])('never by a malformed %s, which is refused by its name: %j', (param, value) => {
    const issues = listIntentsQuery.safeParse({ [param]: value }).error?.issues ?? [];
    expect(issues.map(({ path }) => path)).toEqual([[param]]);
  });
});

describe('coffer intent find', () => {
  const find = (...args: string[]): Promise<CliRun> =>
    runCommand(['intent', 'find', ...args], { DATABASE_URL: db.url });
  const foundBy = async (...args: string[]): Promise<string[]> => {
    const { code, out } = await find(...args, '--json');
    expect(code).toBe(0);
    return out
      .trimEnd()
      .split('\n')
      .map((line) => String(Object(JSON.parse(line)).id));
  };

  it("finds any merchant's intents, or one merchant's, by id, reference, address and transaction", async () => {
    const all = [live, foreign, second, first].map(({ id }) => id);
    expect((await foundBy('--reference', 'order-1')).toSorted()).toEqual(all.toSorted());
    expect(await foundBy('--reference', 'order-1', '--merchant', own.merchantId, '--env', 'sandbox')).toEqual([
      second.id,
      first.id,
    ]);
    expect(await foundBy(foreign.id)).toEqual([foreign.id]);
    expect(await foundBy('--address', capitals(live.address))).toEqual([live.id]);
    expect(await foundBy('--tx-hash', capitals(HASH))).toEqual([second.id, first.id]);
    expect(await foundBy('--tx-hash', HASH, '--after', second.id)).toEqual([first.id]);
  });

  it('shows a line for each, and says where there are more', async () => {
    const { code, out, err } = await find('--tx-hash', HASH, '--limit', '1');
    expect({ code, err }).toEqual({ code: 0, err: `There are more: --after ${second.id}\n` });
    expect(out).toMatch(/^INTENT +CREATED +MERCHANT +PLACE +STATUS +ASKED +RECEIVED +REFERENCE +ADDRESS\n/);
    expect(out).toMatch(
      new RegExp(
        `\n${second.id} +\\S+ +${own.merchantId} +sandbox/bnb +processing +25 USDC +0 USDC +order-1 +0x\\w{40}\n$`,
      ),
    );
  });

  it('ends with 1 when there is none, and with 2 when the query is not one it can search for', async () => {
    expect(await find('--reference', 'order-2')).toEqual({
      code: 1,
      out: '',
      err: 'There is no such payment intent.\n',
    });
    expect(await find('--address', first.address, '--merchant', other.merchantId)).toMatchObject({ code: 1, out: '' });
    for (const args of [
      [],
      ['--merchant', own.merchantId],
      ['--address', '0x12'],
      ['--tx-hash', '12'],
      ['--limit', '0'],
    ]) {
      expect((await find(...args)).code).toBe(2);
    }
  });
});
