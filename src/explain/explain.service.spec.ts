import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  anIntentWithoutAddress,
  aPriceSnapshot,
  freeAddresses,
  readUpTo,
  type SeededChain,
} from '../../test/support/factories.js';
import { confirmAsListed, listExactly } from '../../test/support/listed-senders.js';
import { depositOperationsOn, settlementOn } from '../../test/support/settlement.js';
import { FLOORED_NOW, query } from '../../test/support/sql.js';
import { anUnattributedDeposit, aToken } from '../../test/support/unattributed-deposits.js';
import type { Tenant } from '../domain/tenant.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { NetworkViews } from '../offers/network-views.service.js';
import type { Database } from '../platform/database/database.js';
import { createLogger } from '../platform/logging.js';
import { PricingService } from '../pricing/pricing.service.js';
import { SuspenseBooking } from '../suspense/suspense-booking.service.js';
import { ExplainService } from './explain.service.js';
import { IntentFactsReader } from './intent-facts-reader.service.js';
import { WebhookFactsReader } from './webhook-facts-reader.service.js';

let db: TestDatabase;
let database: Database;
let tenant: Tenant;
let chain: SeededChain;
beforeEach(async () => {
  db = await freshDatabase();
  database = db.database;
  tenant = await aMerchant(database);
  chain = await aChain(database);
});
afterEach(() => db.drop());

/** Without the cache of an earlier read. */
function explain(id: string, as = tenant) {
  const facts = new IntentFactsReader(
    database,
    new NetworkViews(database),
    new PricingService(database),
    new WebhookFactsReader({ webhooks: { timeoutMs: 10_000 } }),
  );
  return new ExplainService(facts).explain(as, id);
}

const codesOf = async (id: string): Promise<string[]> => (await explain(id)).findings.map(({ code }) => code);

describe('what an address needs', () => {
  it('is asked of the newest price, of the pool and of the chain', async () => {
    const id = await anIntentWithoutAddress(database, tenant, 'created');
    expect(await codesOf(id)).toEqual(['price_unavailable', 'no_wallets_available', 'awaiting_address']);
    await freeAddresses(database, 1, 'live');
    expect(await codesOf(id)).toEqual(['price_unavailable', 'no_wallets_available', 'awaiting_address']);
    await freeAddresses(database, 1);
    expect(await codesOf(id)).toEqual(['price_unavailable', 'awaiting_address']);
    await aPriceSnapshot(database);
    expect(await explain(id)).toMatchObject({ status: 'requires_action', verdict: { code: 'awaiting_address' } });
    await query(database, `update chain_token set enabled = false`);
    expect(await codesOf(id)).toEqual(['token_disabled', 'awaiting_address']);
  });
});

describe('what reached the address', () => {
  it('is dust below a cent by the newest price, and worth telling above it', async () => {
    const { id, address } = await anIntent(database, { tenant, chain });
    const contract = await aToken(database, chain, 'POL', 18);
    await aPriceSnapshot(database, { USDC: '1', POL: '0.5' });
    const pol = (amount: bigint) =>
      anUnattributedDeposit(database, { chain, address, contract, reason: 'other_token', amount });
    await pol(19_999_999_999_999_999n);
    expect(await codesOf(id)).toEqual(['not_paid']);
    await pol(20_000_000_000_000_000n);
    const { findings } = await explain(id);
    expect(findings[0]).toMatchObject({
      code: 'paid_in_another_token',
      sentence: expect.stringMatching(/^0\.02 POL arrived/),
      evidence: { payments: [{ amount_decimal: '0.02' }] },
    });
  });

  it('in another token is no finding any more once staff credited it to the merchant', async () => {
    const { id, address } = await anIntent(database, { tenant, chain });
    const contract = await aToken(database, chain, 'DAI');
    const stray = await anUnattributedDeposit(database, { chain, address, contract, reason: 'other_token' });
    await new SuspenseBooking(database, new LedgerService(), createLogger('silent')).bookFinal();
    expect(await codesOf(id)).toEqual(['paid_in_another_token', 'not_paid']);
    const order = { actor: 'a test', reason: 'none', unknown: [] };
    const operations = depositOperationsOn(database);
    await database.transaction((tx) => operations.resolve(tx, stray, { merchantId: tenant.merchantId }, order));
    expect(await codesOf(id)).toEqual(['not_paid']);
  });

  it('may have been on hold until after the end, and is released to the pocket then', async () => {
    const intent = await anIntent(database, { tenant, chain });
    const deposit = await aDeposit(database, intent);
    const [listing = ''] = await listExactly(database, `0x${'ad'.repeat(20)}`);
    await confirmAsListed(database, deposit, listing);
    await settlementOn(database).settle(intent.id);
    const operations = depositOperationsOn(database);
    const order = { actor: 'a test', reason: 'none' };
    await database.transaction((tx) => operations.keep(tx, deposit, order));
    const [row] = await query<{ expires_at: string }>(
      database,
      `update payment_intent set expires_at = ${FLOORED_NOW}, due_at = ${FLOORED_NOW} where id = $1 returning expires_at`,
      [intent.id],
    );
    await readUpTo(database, chain, new Date(row?.expires_at ?? ''));
    await settlementOn(database).settle(intent.id);
    await database.transaction((tx) => operations.release(tx, deposit, order));
    const { findings } = await explain(intent.id);
    expect(findings.map(({ code }) => code)).toEqual(['paid_late', 'failed_on_hold']);
    expect(findings[0]?.sentence).toMatch(
      / USDC had been on hold, was too late to count for this intent, and was released/,
    );
    expect(findings[1]?.next_action).not.toContain('releases');
  });

  it('may have no transaction: a coin that arrived inside of a contract', async () => {
    const coin = await aChain(database, { network: 'bnb', coin: 'BNB' });
    const intent = await anIntent(database, { tenant, chain: coin });
    const deposit = await aDeposit(database, intent, { amount: 1n });
    await query(
      database,
      `insert into deposit
       select (jsonb_populate_record(deposit, '{"id": "dep_inside", "tx_hash": null, "from_address": null}')).*
         from deposit where id = $1`,
      [deposit],
    );
    const { payments } = (await explain(intent.id)).findings[0]?.evidence ?? {};
    expect(payments?.find(({ tx_hash: hash }) => hash === null)).toMatchObject({
      from_address: null,
      token: 'BNB',
      network: 'bnb',
      amount_decimal: '0.000000000000000001',
    });
  });

  it('is shown as the 20 largest of more, and counted whole', async () => {
    const intent = await anIntent(database, { tenant, chain });
    for (let n = 1n; n <= 25n; n++) await aDeposit(database, intent, { amount: n * 10_000n });
    const [finding] = (await explain(intent.id)).findings;
    expect(finding?.evidence.payments).toHaveLength(20);
    expect(finding?.evidence.crypto_amounts).toMatchObject({ received: String(10_000 * ((25 * 26) / 2)) });
  });

  it('estimates the time to finality by the pace of the last blocks', async () => {
    const intent = await anIntent(database, { tenant, chain, status: 'processing' });
    await aDeposit(database, intent, { blockHeight: 99 });
    await query(
      database,
      `insert into chain_block (chain_ref, height, hash, parent_hash, block_time)
       select $1, n, 'b' || n, 'b' || n - 1, cursor.block_time - (100 - n) * interval '12 seconds'
         from chain_cursor cursor, generate_series(60, 100) as n where cursor.chain_ref = $1`,
      [chain.chainRef],
    );
    const [finding] = (await explain(intent.id)).findings;
    expect(finding).toMatchObject({
      code: 'awaiting_confirmations',
      sentence: 'The full amount was seen on polygon and has 1 of 3 confirmations, about 24 seconds to go.',
      evidence: { estimated_seconds_to_finality: 24 },
    });
  });
});

describe('an intent that was set aside', () => {
  it('is explained as that, without what went wrong inside', async () => {
    const { id } = await anIntent(database, { tenant, chain });
    await query(
      database,
      `insert into dirty_intent (intent_id, failures, last_error, quarantined_at) values ($1, 5, 'secret', now())`,
      [id],
    );
    const explanation = await explain(id);
    expect(explanation.verdict.code).toBe('settlement_quarantined');
    expect(JSON.stringify(explanation)).not.toContain('secret');
  });
});

describe('a tenant', () => {
  it('finds no intent of another merchant, nor of its other environment [B-20]', async () => {
    const { id } = await anIntent(database, { tenant, chain });
    const strangers: Tenant[] = [await aMerchant(database), { ...tenant, environment: 'live' }];
    for (const stranger of strangers) await expect(explain(id, stranger)).rejects.toMatchObject({ code: 'not_found' });
  });
});
