import { MikroORM } from '@mikro-orm/postgresql';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aMerchant, anIntent, aPriceSnapshot, freeAddresses } from '../../../test/support/factories.js';
import { intentsOn } from '../../../test/support/intent-services.js';
import { ENTITIES } from '../../app/entities.js';
import { INTENT_STATUSES, type IntentStatus, isTerminal } from '../../domain/intent-state.js';
import type { Tenant } from '../../domain/tenant.js';
import { Database } from '../../platform/database/database.js';
import { ormOptions } from '../../platform/database/orm.config.js';
import type { CreateIntentBody, PaymentIntentObject } from './payment-intent.schema.js';

const BODY: CreateIntentBody = { amount_cents: 2500, currency: 'USD', network: 'polygon', token: 'USDC' };
const TERMINAL = INTENT_STATUSES.filter(isTerminal);

let db: TestDatabase;
let database: Database;
let tenant: Tenant;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
});
afterAll(() => db.drop());

/** A new merchant, and nothing on offer: no chain, no price, no address. */
beforeEach(async () => {
  await database.query(`update chain set active = false`);
  await db.owner.query(`update price_round set created_at = now() - interval '1 day'`);
  await database.query(`update pool_address set retired_at = now()`);
  tenant = await aMerchant(database);
});

function create(body: Partial<CreateIntentBody> = {}, env = {}): Promise<PaymentIntentObject> {
  const { intents } = intentsOn(database, env);
  return database.transaction((tx) => intents.create(tx, tenant, { ...BODY, ...body }));
}

function generateAddress(id: string, env = {}, on = database): Promise<PaymentIntentObject> {
  const { intents } = intentsOn(on, env);
  return on.transaction((tx) => intents.generateAddress(tx, tenant, id));
}

function confirm(id: string, as = tenant): Promise<PaymentIntentObject> {
  const { intents } = intentsOn(database);
  return database.transaction((tx) => intents.confirm(tx, as, id));
}

/** A chain, a price and some free addresses. */
async function everythingOnOffer(addresses = 2): Promise<void> {
  await aChain(database);
  await aPriceSnapshot(database);
  await freeAddresses(database, addresses);
}

describe('creating an intent', () => {
  it('returns an intent that waits for its address, due after the configured lifetime [spec 4.1]', async () => {
    await aChain(database);
    const intent = await create({ reference: 'order-1', metadata: { order: 1 } }, { INTENT_LIFETIME_SECONDS: '900' });
    expect(intent).toMatchObject({
      merchant_id: tenant.merchantId,
      status: 'requires_action',
      amount_cents: 2500,
      received_amount_cents: 0,
      remaining_amount_cents: 2500,
      settlement_currency: 'USDC',
      crypto_amount: null,
      reference: 'order-1',
      metadata: { order: 1 },
    });
    expect(Date.parse(intent.expires_at) - Date.parse(intent.created_at)).toBe(900_000);
  });

  it('takes over what the merchant tolerates, so that a later change does not touch it', async () => {
    await aChain(database);
    tenant = await aMerchant(database, { toleranceBps: 50 });
    const { id } = await create();
    await database.query(`update merchant set underpayment_tolerance_bps = 0`);
    expect(await database.query(`select tolerance_bps from payment_intent where id = $1`, [id])).toEqual([
      { tolerance_bps: 50 },
    ]);
  });

  it.each<[param: string, body: Partial<CreateIntentBody>]>([
    ['network', { network: 'ethereum' }],
    ['network', { network: 'solana' }],
    ['token', { token: 'USDT' }],
    ['token', { token: 'usdc' }],
    ['settlement_currency', { settlement_currency: 'EUR' }],
  ])('is refused with param %s for %j [A-7]', async (param, body) => {
    await aChain(database);
    await expect(create(body)).rejects.toMatchObject({ code: 'invalid_request', details: { param } });
  });

  it('is refused for a token whose contract failed the check against the chain [E-60]', async () => {
    await aChain(database);
    await database.query(`update chain_token set enabled = false, disabled_reason = 'decimals'`);
    await expect(create()).rejects.toMatchObject({ code: 'invalid_request', details: { param: 'token' } });
  });
});

describe('generating an address', () => {
  it('locks address, amount and price in one step and leaves the status alone [spec 4.2]', async () => {
    await aChain(database);
    await aPriceSnapshot(database, { USDC: '0.99' });
    const [address] = await freeAddresses(database, 1);
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
    await everythingOnOffer();
    const { id } = await create();
    const first = await generateAddress(id);
    await aPriceSnapshot(database, { USDC: '2' });
    expect(await generateAddress(id)).toEqual(first);
    expect(await free()).toBe(1);
  });

  it('assigns one address to an intent, though 20 callers ask at the same time [D-43]', async () => {
    await everythingOnOffer(20);
    const { id } = await create();
    const answers = await Promise.all(Array.from({ length: 20 }, () => generateAddress(id)));
    expect(new Set(answers.map((answer) => answer.metadata['blockchain_address'])).size).toBe(1);
    expect(await free()).toBe(19);
  });

  it('needs one connection each: as many callers as connections do not wait for each other [D-49]', async () => {
    await everythingOnOffer(4);
    const ids = await Promise.all(Array.from({ length: 4 }, async () => (await create()).id));
    const orm = await MikroORM.init(ormOptions({ url: db.url, poolMax: 4, entities: ENTITIES, migrations: [] }));
    try {
      const small = new Database(orm);
      const { intents } = intentsOn(small);
      const all = await Promise.all(
        ids.map((id) => small.transaction((tx) => intents.generateAddress(tx, tenant, id))),
      );
      expect(new Set(all.map((one) => one.metadata['blockchain_address'])).size).toBe(4);
    } finally {
      await orm.close(true);
    }
  });

  it('is allowed in processing, after an early confirm [api]', async () => {
    await everythingOnOffer();
    const { id } = await create();
    await confirm(id);
    expect((await generateAddress(id)).status).toBe('processing');
  });

  it.each(TERMINAL)('is refused in %s, with and without an address [spec 7]', async (status) => {
    const chain = await aChain(database);
    const { id } = await anIntent(database, { tenant, chain, status });
    await expect(generateAddress(id)).rejects.toMatchObject({ code: 'invalid_state_transition' });
  });

  it('is refused without a price, with a price for another token, and with a price that is too old [spec 7] [E-58]', async () => {
    await aChain(database);
    await freeAddresses(database, 1);
    const { id } = await create();
    await expect(generateAddress(id)).rejects.toMatchObject({ code: 'price_unavailable' });
    await aPriceSnapshot(database, { ETH: '3000' });
    await expect(generateAddress(id)).rejects.toMatchObject({ code: 'price_unavailable' });
    await aPriceSnapshot(database);
    await db.owner.query(`update price_round set created_at = now() - interval '61 seconds'`);
    await expect(generateAddress(id)).rejects.toMatchObject({
      code: 'price_unavailable',
      details: { retryAfterSeconds: 10 },
    });
    expect(await free()).toBe(1);
  });

  it('is refused once the deadline has passed, though nothing has expired the intent yet; no address is taken [spec 7]', async () => {
    await everythingOnOffer(1);
    const { id } = await create({ expires_in_seconds: 0.001 });
    await expect(generateAddress(id)).rejects.toMatchObject({ code: 'invalid_state_transition' });
    const [row] = await database.query(
      `select address, crypto_amount, (select count(*)::int from pool_address where intent_id = $1) as taken
         from payment_intent where id = $1`,
      [id],
    );
    expect(row).toEqual({ address: null, crypto_amount: null, taken: 0 });
  });

  it('is refused with an empty pool, and leaves the intent without a quote [spec 7]', async () => {
    await everythingOnOffer(0);
    const { id } = await create();
    await expect(generateAddress(id)).rejects.toMatchObject({ code: 'no_wallets_available' });
    expect(await database.query(`select crypto_amount from payment_intent where id = $1`, [id])).toEqual([
      { crypto_amount: null },
    ]);
  });

  it('is refused while no listener reads the chain [api]', async () => {
    await everythingOnOffer();
    const { id } = await create();
    await database.query(`update chain_cursor set synced_at = now() - interval '6 minutes'`);
    await expect(generateAddress(id)).rejects.toMatchObject({ code: 'network_unavailable' });
  });

  it('is limited for intents that are open, so that one merchant cannot drain the pool [api]', async () => {
    await everythingOnOffer(3);
    const env = { OPEN_INTENTS_MAX: '1' };
    const [first, second] = [await create(), await create()];
    await generateAddress(first.id, env);
    await expect(generateAddress(second.id, env)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await generateAddress(first.id, env)).toMatchObject({ id: first.id });
    await database.query(`update chain_cursor set synced_at = now() - interval '6 minutes'`);
    await expect(generateAddress(second.id, env)).rejects.toMatchObject({ code: 'rate_limited' });
    await database.query(`update chain_cursor set synced_at = now()`);
    await database.query(`update payment_intent set status = 'expired' where id = $1`, [first.id]);
    expect((await generateAddress(second.id, env)).crypto_amount).toBe('25000000');
  });
});

describe('confirming', () => {
  it('makes the intent processing with one event, however often it is repeated [spec 4.3] [E-56]', async () => {
    await aChain(database);
    const { id } = await create();
    expect(await confirm(id)).toMatchObject({ id, status: 'processing' });
    expect(await confirm(id)).toMatchObject({ id, status: 'processing' });
    expect(await database.query(`select type from event where resource_id = $1`, [id])).toEqual([
      { type: 'payment_intent.processing' },
    ]);
  });

  it.each(TERMINAL)('is refused in %s [E-56]', async (status: IntentStatus) => {
    const { id } = await anIntent(database, { tenant, chain: await aChain(database), status });
    await expect(confirm(id)).rejects.toMatchObject({ code: 'invalid_state_transition' });
  });
});

describe('an intent', () => {
  it('is not found by another merchant, nor in the other environment [B-20] [B-21]', async () => {
    await everythingOnOffer();
    const { id } = await create();
    const owner = tenant;
    for (const stranger of [await aMerchant(database), { ...owner, environment: 'live' as const }]) {
      await expect(confirm(id, stranger)).rejects.toMatchObject({ code: 'not_found' });
      tenant = stranger;
      await expect(generateAddress(id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

async function free(): Promise<number> {
  const [row] = await database.query<{ count: string }>(
    `select count(*) from pool_address where intent_id is null and retired_at is null`,
  );
  return Number(row?.count);
}
