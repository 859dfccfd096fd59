import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  type ChainTraits,
  type IntentTraits,
  moveDeposit,
  type SeededChain,
  type SeededIntent,
} from '../../../test/support/factories.js';
import { settlementOn, stateOf } from '../../../test/support/settlement.js';
import { query } from '../../../test/support/sql.js';
import type { Database } from '../../platform/database/database.js';
import type { SettlementService } from './settlement.service.js';

let db: TestDatabase;
let database: Database;
let settlement: SettlementService;
let chain: SeededChain;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
  settlement = settlementOn(database);
  chain = await aChain(database);
});
afterAll(() => db.drop());

type Traits = Partial<IntentTraits>;

/** An intent of 25.00 of a merchant of its own: 25,000,000 units of a token with 6 decimals. */
const open = async (traits: Traits = {}): Promise<SeededIntent> =>
  anIntent(database, { tenant: await aMerchant(database), chain, ...traits });
const UNITS = 25_000_000n;

async function settled(intent: SeededIntent) {
  await settlement.settle(intent.id);
  return stateOf(database, intent);
}

describe('a payment', () => {
  it('that is seen makes the intent processing, credits nothing and records an event [spec 3.1] [E-55]', async () => {
    const intent = await open();
    await aDeposit(database, intent);
    expect(await settled(intent)).toMatchObject({
      status: 'processing',
      received: UNITS,
      receivedCents: 2500,
      pocket: 0n,
      entries: 0,
      events: ['processing'],
    });
  });

  it('that becomes final completes the intent, credits the pocket and records an event [spec 3.1] [spec 6.1]', async () => {
    const intent = await open();
    const deposit = await aDeposit(database, intent);
    await settlement.settle(intent.id);
    await moveDeposit(database, deposit, 'confirmed');
    const state = await settled(intent);
    expect(state).toMatchObject({
      status: 'completed',
      failure: null,
      receivedCents: 2500,
      overpaidCents: 0,
      pocket: UNITS,
      events: ['processing', 'payment_received', 'completed'],
    });
    expect(state.completedAt).not.toBeNull();
  });

  it('that is final when it is first seen passes through processing in one step [spec 3.1]', async () => {
    const intent = await open();
    await aDeposit(database, intent, { status: 'confirmed' });
    expect(await settled(intent)).toMatchObject({
      status: 'completed',
      events: ['processing', 'payment_received', 'completed'],
    });
  });

  it('in parts adds up, and each part is credited as it becomes final [E-53]', async () => {
    const intent = await open();
    await aDeposit(database, intent, { amount: 10_000_000n, status: 'confirmed' });
    expect(await settled(intent)).toMatchObject({ status: 'processing', receivedCents: 1000, pocket: 10_000_000n });
    await aDeposit(database, intent, { amount: 15_000_000n, status: 'confirmed' });
    expect(await settled(intent)).toMatchObject({ status: 'completed', receivedCents: 2500, pocket: UNITS });
  });

  it('of too much is credited in full and shown as overpaid [E-53]', async () => {
    const intent = await open();
    await aDeposit(database, intent, { amount: 30_000_000n, status: 'confirmed' });
    expect(await settled(intent)).toMatchObject({
      status: 'completed',
      receivedCents: 2500,
      overpaidCents: 500,
      pocket: 30_000_000n,
    });
  });

  it('within the tolerance of the merchant completes with the full amount received [api]', async () => {
    const intent = await open({ toleranceBps: 100 });
    await aDeposit(database, intent, { amount: 24_750_000n, status: 'confirmed' });
    expect(await settled(intent)).toMatchObject({
      status: 'completed',
      receivedCents: 2500,
      shortfallCents: 25,
      pocket: 24_750_000n,
    });
  });

  it('of a token with 18 decimals is credited to the last unit [E-60] [H-105]', async () => {
    const traits: ChainTraits = { network: 'bnb', decimals: 18 };
    const intent = await open({ chain: await aChain(database, traits) });
    const amount = 25_000_000_000_000_000_001n;
    await aDeposit(database, intent, { amount, status: 'confirmed' });
    expect(await settled(intent)).toMatchObject({ status: 'completed', receivedCents: 2500, pocket: amount });
  });

  it('of which one part is final and one is seen leaves the intent processing', async () => {
    const intent = await open();
    await aDeposit(database, intent, { amount: 24_000_000n, status: 'confirmed' });
    await aDeposit(database, intent, { amount: 1_000_000n });
    expect(await settled(intent)).toMatchObject({ status: 'processing', receivedCents: 2500, pocket: 24_000_000n });
  });
});

describe('a reorg', () => {
  it('removes what was received, without a credit and without an event [spec 3.1]', async () => {
    const intent = await open();
    const deposit = await aDeposit(database, intent);
    await settlement.settle(intent.id);
    await moveDeposit(database, deposit, 'orphaned');
    expect(await settled(intent)).toMatchObject({
      status: 'processing',
      received: 0n,
      receivedCents: 0,
      entries: 0,
      events: ['processing'],
    });
  });

  it('that puts the payment into another block leads to one credit [F-65]', async () => {
    const intent = await open();
    const deposit = await aDeposit(database, intent);
    await settlement.settle(intent.id);
    await moveDeposit(database, deposit, 'orphaned');
    await settlement.settle(intent.id);
    await query(database, `update deposit set status = 'seen', block_height = 103 where id = $1`, [deposit]);
    await settlement.settle(intent.id);
    await moveDeposit(database, deposit, 'confirmed');
    expect(await settled(intent)).toMatchObject({ status: 'completed', pocket: UNITS, entries: 1 });
  });
});

describe('settling again', () => {
  it('changes nothing, however often and however many at a time it runs', async () => {
    const intent = await open();
    await aDeposit(database, intent, { status: 'confirmed' });
    await Promise.all(Array.from({ length: 10 }, () => settlement.settle(intent.id)));
    const once = await stateOf(database, intent);
    expect(once).toMatchObject({ status: 'completed', entries: 1, pocket: UNITS });
    expect(once.events).toEqual(['processing', 'payment_received', 'completed']);
    expect(await settled(intent)).toEqual(once);
  });

  it('does not touch an intent whose facts have not changed', async () => {
    const intent = await open();
    await aDeposit(database, intent);
    await settlement.settle(intent.id);
    const version = (): Promise<object[]> =>
      query(database, `select xmin::text, updated_at from payment_intent where id = $1`, [intent.id]);
    const before = await version();
    await settlement.settle(intent.id);
    expect(await version()).toEqual(before);
  });

  it('ignores an intent that does not exist', async () => {
    await expect(settlement.settle('pi_none')).resolves.toBeUndefined();
  });
});

describe('money for an intent that is over', () => {
  it.each(['completed', 'failed', 'expired', 'cancelled'] as const)(
    'that is %s goes to the pocket, is flagged late and changes nothing else [E-52] [E-57]',
    async (status) => {
      const intent = await open({ status });
      const deposit = await aDeposit(database, intent, { amount: 5_000_000n });
      expect(await settled(intent)).toMatchObject({ status, received: 0n, entries: 0, events: [] });
      await moveDeposit(database, deposit, 'confirmed');
      expect(await settled(intent)).toMatchObject({
        status,
        received: 0n,
        pocket: 5_000_000n,
        events: ['payment_received'],
      });
      const [row] = await query(database, `select late from deposit where id = $1`, [deposit]);
      expect(row).toEqual({ late: true });
    },
  );

  it('leaves the payments that completed it unflagged', async () => {
    const intent = await open();
    await aDeposit(database, intent, { status: 'confirmed' });
    await settlement.settle(intent.id);
    await aDeposit(database, intent, { amount: 1n, status: 'confirmed' });
    await settlement.settle(intent.id);
    const rows = await query(database, `select amount, late from deposit where intent_id = $1 order by amount`, [
      intent.id,
    ]);
    expect(rows).toEqual([
      { amount: '1', late: true },
      { amount: String(UNITS), late: false },
    ]);
  });
});
