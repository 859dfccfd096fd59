import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aMerchant, anIntent } from '../../../test/support/factories.js';
import { confirmedIntent, createdIntent } from '../../../test/support/intent-services.js';
import { everythingOnOffer, nothingOnOffer } from '../../../test/support/on-offer.js';
import { query } from '../../../test/support/sql.js';
import { INTENT_STATUSES, type IntentStatus, isTerminal } from '../../domain/intent-state.js';
import type { Tenant } from '../../domain/tenant.js';
import { Database } from '../../platform/database/database.js';
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

const create = (body: Partial<CreateIntentBody> = {}, env = {}): Promise<PaymentIntentObject> =>
  createdIntent(database, tenant, body, env);

const confirm = (id: string, as = tenant): Promise<PaymentIntentObject> => confirmedIntent(database, as, id);

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
    await query(database, `update merchant set underpayment_tolerance_bps = 0`);
    expect(await query(database, `select tolerance_bps from payment_intent where id = $1`, [id])).toEqual([
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
    await query(database, `update chain_token set enabled = false, disabled_reason = 'decimals'`);
    await expect(create()).rejects.toMatchObject({ code: 'invalid_request', details: { param: 'token' } });
  });
});

describe('confirming', () => {
  it('makes the intent processing with one event, however often it is repeated [spec 4.3] [E-56]', async () => {
    await aChain(database);
    const { id } = await create();
    expect(await confirm(id)).toMatchObject({ id, status: 'processing' });
    expect(await confirm(id)).toMatchObject({ id, status: 'processing' });
    expect(await query(database, `select type from event where resource_id = $1`, [id])).toEqual([
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
    await everythingOnOffer(database);
    const { id } = await create();
    for (const stranger of [await aMerchant(database), { ...tenant, environment: 'live' as const }]) {
      await expect(confirm(id, stranger)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});
