import { writePlanned } from '../../../test/support/write-planned.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aMerchant, anIntent, aPriceSnapshot, freeAddresses } from '../../../test/support/factories.js';
import { confirmedIntent, createdIntent, intentsOn } from '../../../test/support/intent-services.js';
import { everythingOnOffer, nothingOnOffer } from '../../../test/support/on-offer.js';
import { withPoolOf } from '../../../test/support/small-pool.js';
import { query } from '../../../test/support/sql.js';
import { untilOneWaitsForALock } from '../../../test/support/waiting-for-lock.js';
import { checksumEvmAddress } from '../../domain/evm-address.js';
import { INTENT_STATUSES, isTerminal } from '../../domain/intent-state.js';
import type { Tenant } from '../../domain/tenant.js';
import type { Database } from '../../platform/database/database.js';
import type { CreateIntentBody, PaymentIntentObject } from './payment-intent.schema.js';

const TERMINAL = INTENT_STATUSES.filter(isTerminal);

let db: TestDatabase;
let database: Database;
let tenant: Tenant;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
});
afterAll(() => db.drop());

beforeEach(async () => {
  tenant = await nothingOnOffer(db);
});

const create = (body: Partial<CreateIntentBody> = {}): Promise<PaymentIntentObject> =>
  createdIntent(database, tenant, body);

type Generate = (id: string, env?: Readonly<Record<string, string>>, on?: Database) => Promise<PaymentIntentObject>;

/** An address is assigned in one statement, or in a transaction when the state of the intent asks for it. */
const atOnce: Generate = async (id, env, on = database) =>
  writePlanned(on, await intentsOn(on, env).addresses.plan(tenant, id));
const inTransaction: Generate = (id, env, on = database) =>
  on.transaction((tx) => intentsOn(on, env).addresses.assign(tx, tenant, id));

describe.each([
  ['one statement', atOnce],
  ['a transaction', inTransaction],
])('generating an address in %s', (_way, generateAddress) => {
  it('locks address, amount and price in one step and leaves the status alone [spec 4.2]', async () => {
    await aChain(database);
    await aPriceSnapshot(database, { USDC: '0.99' });
    const [address] = await freeAddresses(database, 1, 'sandbox', checksumEvmAddress);
    const { id } = await create();
    expect(await generateAddress(id)).toMatchObject({
      status: 'requires_action',
      crypto_amount: '25252526',
      crypto_amount_decimal: '25.252526',
      token_price_cents: 99,
      metadata: { blockchain_address: address },
    });
  });

  it('returns the same answer again, whatever happened to the price, and takes no second address [spec 4.2] [E-61]', async () => {
    await everythingOnOffer(database);
    const { id } = await create();
    const first = await generateAddress(id);
    await aPriceSnapshot(database, { USDC: '2' });
    expect(await generateAddress(id)).toEqual(first);
    expect(await free()).toBe(1);
  });

  it('assigns one address to an intent, though 20 callers ask at the same time [D-43]', async () => {
    await everythingOnOffer(database, 20);
    const { id } = await create();
    const answers = await Promise.all(Array.from({ length: 20 }, () => generateAddress(id)));
    expect(new Set(answers.map((answer) => answer.metadata['blockchain_address'])).size).toBe(1);
    expect(await free()).toBe(19);
  });

  it('needs one connection each: as many callers as connections do not wait for each other [D-49]', async () => {
    await everythingOnOffer(database, 4);
    const ids = await Promise.all(Array.from({ length: 4 }, async () => (await create()).id));
    const all = await withPoolOf(4, db.url, (small) => Promise.all(ids.map((id) => generateAddress(id, {}, small))));
    expect(new Set(all.map((one) => one.metadata['blockchain_address'])).size).toBe(4);
  });

  it('is allowed in processing, after an early confirm [api]', async () => {
    await everythingOnOffer(database);
    const { id } = await create();
    await confirmedIntent(database, tenant, id);
    expect((await generateAddress(id)).status).toBe('processing');
  });

  it.each(TERMINAL)('is refused in %s, with and without an address [spec 7]', async (status) => {
    const chain = await aChain(database);
    const { id } = await anIntent(database, { tenant, chain, status });
    await expect(generateAddress(id)).rejects.toMatchObject({ code: 'invalid_state_transition' });
  });

  it('is refused without a price, with a price for another token, and with a price that is too old [spec 7] [E-58]', async () => {
    await aChain(database);
    await freeAddresses(database, 1, 'sandbox', checksumEvmAddress);
    const { id } = await create();
    await expect(generateAddress(id)).rejects.toMatchObject({ code: 'price_unavailable' });
    await aPriceSnapshot(database, { ETH: '3000' });
    await expect(generateAddress(id)).rejects.toMatchObject({ code: 'price_unavailable' });
    await aPriceSnapshot(database);
    await query(db.owner, `update price_round set created_at = now() - interval '61 seconds'`);
    await expect(generateAddress(id)).rejects.toMatchObject({
      code: 'price_unavailable',
      details: { retryAfterSeconds: 10 },
    });
    expect(await free()).toBe(1);
  });

  it('is refused once the deadline has passed, though nothing has expired the intent yet; no address is taken [spec 7]', async () => {
    await everythingOnOffer(database, 1);
    const { id } = await create({ expires_in_seconds: 0.001 });
    await expect(generateAddress(id)).rejects.toMatchObject({ code: 'invalid_state_transition' });
    const [row] = await query(
      database,
      `select address, crypto_amount, (select count(*)::int from pool_address where intent_id = $1) as taken
         from payment_intent where id = $1`,
      [id],
    );
    expect(row).toEqual({ address: null, crypto_amount: null, taken: 0 });
  });

  it('is refused with an empty pool, and leaves the intent without a quote [spec 7]', async () => {
    await everythingOnOffer(database, 0);
    const { id } = await create();
    await expect(generateAddress(id)).rejects.toMatchObject({ code: 'no_wallets_available' });
    expect(await query(database, `select crypto_amount from payment_intent where id = $1`, [id])).toEqual([
      { crypto_amount: null },
    ]);
  });

  it('is refused while no listener reads the chain [api]', async () => {
    await everythingOnOffer(database);
    const { id } = await create();
    await query(database, `update chain_cursor set synced_at = now() - interval '6 minutes'`);
    await expect(generateAddress(id)).rejects.toMatchObject({ code: 'network_unavailable' });
  });

  it('is limited for intents that are open, so that one merchant cannot drain the pool [api]', async () => {
    await everythingOnOffer(database, 3);
    const env = { OPEN_INTENTS_MAX: '1' };
    const [first, second] = [await create(), await create()];
    await generateAddress(first.id, env);
    await expect(generateAddress(second.id, env)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await generateAddress(first.id, env)).toMatchObject({ id: first.id });
    await query(database, `update chain_cursor set synced_at = now() - interval '6 minutes'`);
    await expect(generateAddress(second.id, env)).rejects.toMatchObject({ code: 'rate_limited' });
    await query(database, `update chain_cursor set synced_at = now()`);
    await query(database, `update payment_intent set status = 'expired' where id = $1`, [first.id]);
    expect((await generateAddress(second.id, env)).crypto_amount).toBe('25000000');
  });
});

describe('an address that is planned', () => {
  it('comes with the times and the address of its row, and leaves the text of the request as it is', async () => {
    await everythingOnOffer(database, 1);
    const reference = `0x${'0'.repeat(40)} +128000-01-01T00:00:00.000Z`;
    const { id } = await create({ reference });
    const answer = await atOnce(id);
    const { reader } = intentsOn(database);
    expect(answer).toEqual(await reader.get(tenant, id));
    expect(answer).toMatchObject({ reference, payment_uri: expect.stringContaining(String(answer.address)) });
  });

  it('is not assigned when the intent ends before the statement runs; no address is taken', async () => {
    await everythingOnOffer(database, 1);
    const { id } = await create();
    const planned = await intentsOn(database).addresses.plan(tenant, id);
    await query(database, `update payment_intent set status = 'cancelled' where id = $1`, [id]);
    await expect(writePlanned(database, planned)).rejects.toMatchObject({ code: 'invalid_state_transition' });
    expect(await free()).toBe(1);
  });

  it('is not assigned when the deadline passes before the statement runs; no address is taken', async () => {
    await everythingOnOffer(database, 1);
    const { id } = await create({ expires_in_seconds: 1 });
    const planned = await intentsOn(database).addresses.plan(tenant, id);
    await query(database, `select pg_sleep(1.1)`);
    await expect(writePlanned(database, planned)).rejects.toMatchObject({ code: 'invalid_state_transition' });
    expect(await free()).toBe(1);
  });

  it('is the one that another caller got before the statement runs', async () => {
    await everythingOnOffer(database, 2);
    const { id } = await create();
    const planned = await intentsOn(database).addresses.plan(tenant, id);
    const other = await atOnce(id);
    expect(await writePlanned(database, planned)).toEqual(other);
    expect(await free()).toBe(1);
  });

  it('does not hold up new intents while it waits for a lock', async () => {
    await everythingOnOffer(database, 1);
    const { id } = await create();
    const planned = await intentsOn(database).addresses.plan(tenant, id);
    await withPoolOf(2, db.url, async (small) => {
      await createdIntent(small, tenant);
      let answer: Promise<unknown> | undefined;
      await database.transaction(async (tx) => {
        await query(tx, `select from payment_intent where id = $1 for update`, [id]);
        answer = writePlanned(small, planned).catch((error: unknown) => error);
        await untilOneWaitsForALock(database);
        expect(await createdIntent(small, tenant)).toMatchObject({ status: 'requires_action' });
      });
      expect(await answer).toMatchObject({ id, address: expect.any(String) });
    });
  });

  it('is assigned to an intent that is confirmed before the statement runs', async () => {
    await everythingOnOffer(database, 1);
    const { id } = await create();
    const planned = await intentsOn(database).addresses.plan(tenant, id);
    await confirmedIntent(database, tenant, id);
    expect(await writePlanned(database, planned)).toMatchObject({ status: 'processing', address: expect.any(String) });
  });
});

describe('the intent of another merchant, or of the other environment', () => {
  it.each([
    ['one statement', atOnce],
    ['a transaction', inTransaction],
  ])('is not found in %s [B-20] [B-21]', async (_way, generateAddress) => {
    await everythingOnOffer(database);
    const { id } = await create();
    for (const stranger of [await aMerchant(database), { ...tenant, environment: 'live' as const }]) {
      tenant = stranger;
      await expect(generateAddress(id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

async function free(): Promise<number> {
  const [row] = await query<{ count: string }>(
    database,
    `select count(*) from pool_address where intent_id is null and retired_at is null`,
  );
  return Number(row?.count);
}
