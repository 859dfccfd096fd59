import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  moveDeposit,
  readUpTo,
  type SeededChain,
  type SeededIntent,
} from '../../../test/support/factories.js';
import { settlementOn, stateOf } from '../../../test/support/settlement.js';
import { query } from '../../../test/support/sql.js';
import type { Database } from '../../platform/database/database.js';
import type { SettlementService } from './settlement.service.js';

const UNITS = 25_000_000n;
const MINUTE = 60_000;

let db: TestDatabase;
let database: Database;
let settlement: SettlementService;

/** A chain that a spec moves on by itself. */
let chain: SeededChain;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
  settlement = settlementOn(database);
});
afterAll(() => db.drop());
beforeEach(async () => {
  await query(database, `update chain set active = false`);
  chain = await aChain(database, { quietGraceMs: 120_000 });
});

/** An intent that was due ten minutes ago. */
const due = async (): Promise<SeededIntent> =>
  anIntent(database, { tenant: await aMerchant(database), chain, expiresIn: -600 });

const before = (intent: SeededIntent, ms: number): Date => new Date(intent.expiresAt.getTime() - ms);
const inTime = (intent: SeededIntent) => ({ blockTime: before(intent, MINUTE), seenAt: before(intent, MINUTE) });
const tooLate = (intent: SeededIntent) => ({ blockTime: before(intent, -1), seenAt: before(intent, -1) });

async function settled(intent: SeededIntent) {
  await settlement.settle(intent.id);
  return stateOf(database, intent);
}

/** The chain has been read past the deadline of the intent. */
const caughtUp = (intent: SeededIntent): Promise<void> => readUpTo(database, chain, intent.expiresAt);

describe('at its deadline an intent', () => {
  it('expires when nothing arrived, and says so [spec 3.1] [E-54]', async () => {
    const intent = await due();
    await caughtUp(intent);
    expect(await settled(intent)).toMatchObject({ status: 'expired', failure: null, events: ['expired'] });
  });

  it('in a coin stays open until the balances were read past it, where they are behind the blocks', async () => {
    chain = await aChain(database, { network: 'tron', coin: 'TRX' });
    await query(database, `update chain set quiet_grace_ms = null where id = $1`, [chain.chainRef]);
    const intent = await due();
    await caughtUp(intent);
    const coinsReadTo = (moment: Date): Promise<unknown> =>
      query(database, `update chain_cursor set coins_read_to = $2 where chain_ref = $1`, [chain.chainRef, moment]);
    await coinsReadTo(intent.expiresAt);
    expect(await settled(intent)).toMatchObject({ status: 'requires_action' });
    await coinsReadTo(before(intent, -1));
    expect(await settled(intent)).toMatchObject({ status: 'expired' });
  });

  it('fails when too little arrived in time; the money is credited [spec 3.1] [E-54]', async () => {
    const intent = await due();
    await aDeposit(database, intent, { amount: UNITS - 1n, status: 'confirmed', ...inTime(intent) });
    await caughtUp(intent);
    expect(await settled(intent)).toMatchObject({
      status: 'failed',
      failure: 'underpaid',
      receivedCents: 2499,
      pocket: UNITS - 1n,
      events: ['processing', 'payment_received', 'failed'],
    });
  });

  it('stays processing when all arrived in time and is not final, and completes afterwards [E-51]', async () => {
    const intent = await due();
    const deposit = await aDeposit(database, intent, inTime(intent));
    await caughtUp(intent);
    expect(await settled(intent)).toMatchObject({ status: 'processing', receivedCents: 2500 });
    await moveDeposit(database, deposit, 'confirmed');
    expect(await settled(intent)).toMatchObject({ status: 'completed', pocket: UNITS });
  });

  it('expires when all arrived in time and a reorg took it back afterwards', async () => {
    const intent = await due();
    const deposit = await aDeposit(database, intent, inTime(intent));
    await caughtUp(intent);
    await settlement.settle(intent.id);
    await moveDeposit(database, deposit, 'orphaned');
    expect(await settled(intent)).toMatchObject({ status: 'expired', receivedCents: 0, entries: 0 });
  });

  it('expires when the payment was late; the money is credited and flagged [E-52]', async () => {
    const intent = await due();
    const deposit = await aDeposit(database, intent, { status: 'confirmed', ...tooLate(intent) });
    await caughtUp(intent);
    expect(await settled(intent)).toMatchObject({ status: 'expired', received: 0n, pocket: UNITS });
    expect(await query(database, `select late from deposit where id = $1`, [deposit])).toEqual([{ late: true }]);
  });

  it.each<[rule: string, blockAfter: number, seenAfter: number]>([
    ['its block was made in time, however late we saw it', -1, 5 * MINUTE],
    ['we saw it in time, whatever the clock of its block says [E-62]', 5 * MINUTE, -1],
    ['its block was made at the very deadline', 0, 5 * MINUTE],
  ])('completes when %s [E-51] [api]', async (_rule, blockAfter, seenAfter) => {
    const intent = await due();
    await aDeposit(database, intent, {
      status: 'confirmed',
      blockTime: before(intent, -blockAfter),
      seenAt: before(intent, -seenAfter),
    });
    await caughtUp(intent);
    expect((await settled(intent)).status).toBe('completed');
  });
});

describe('before the chain has been read up to the deadline an intent', () => {
  const readAt = (blockTime: Date, syncedAt: Date): Promise<unknown> =>
    query(database, `update chain_cursor set block_time = $2, synced_at = $3 where chain_ref = $1`, [
      chain.chainRef,
      blockTime,
      syncedAt,
    ]);

  it('waits, however long ago it was due, and is checked again within half a minute [E-63]', async () => {
    const intent = await due();
    await readAt(before(intent, MINUTE), before(intent, MINUTE));
    expect(await settled(intent)).toMatchObject({ status: 'requires_action', events: [] });
    const [row] = await query(
      database,
      `select due_at > now() and due_at < now() + interval '31 seconds' as soon from payment_intent where id = $1`,
      [intent.id],
    );
    expect(row).toEqual({ soon: true });
  });

  it('waits while the nodes disagree on what is final, since one of them may be missing the payment [F-75]', async () => {
    const intent = await due();
    await caughtUp(intent);
    await query(database, `update chain_cursor set finality_doubt = 'Two hashes.' where chain_ref = $1`, [
      chain.chainRef,
    ]);
    expect(await settled(intent)).toMatchObject({ status: 'requires_action', events: [] });
    await query(database, `update chain_cursor set finality_doubt = null where chain_ref = $1`, [chain.chainRef]);
    expect(await settled(intent)).toMatchObject({ status: 'expired' });
  });

  it('completes all the same by the recorded facts', async () => {
    const intent = await due();
    await readAt(before(intent, MINUTE), before(intent, MINUTE));
    await aDeposit(database, intent, { status: 'confirmed', ...inTime(intent) });
    expect((await settled(intent)).status).toBe('completed');
  });

  it('waits for a quiet chain as long as the network is ever quiet [E-63]', async () => {
    const intent = await due();
    await readAt(before(intent, MINUTE), before(intent, -120_000));
    expect((await settled(intent)).status).toBe('requires_action');
    await readAt(before(intent, MINUTE), before(intent, -120_001));
    expect((await settled(intent)).status).toBe('expired');
  });

  it('does not trust a block of the future that was read before the deadline', async () => {
    const intent = await due();
    await readAt(before(intent, -MINUTE), before(intent, 1));
    expect((await settled(intent)).status).toBe('requires_action');
  });

  it('does not wait for a chain that another one has replaced', async () => {
    const intent = await due();
    await readAt(before(intent, MINUTE), before(intent, MINUTE));
    await query(database, `update chain set active = false where id = $1`, [chain.chainRef]);
    expect((await settled(intent)).status).toBe('expired');
  });
});

describe('an intent without an address', () => {
  it('expires by the clock alone', async () => {
    const intent = await due();
    const copy = { ...intent, id: intent.id.replace(/.$/, '!') };
    await query(
      database,
      `insert into payment_intent (id, merchant_id, environment, status, amount_cents, currency, settlement_currency,
         network, token, created_at, updated_at, expires_at, due_at)
       select $2, merchant_id, environment, status, amount_cents, currency, settlement_currency, network, token,
              created_at, updated_at, expires_at, due_at from payment_intent where id = $1`,
      [intent.id, copy.id],
    );
    expect(await settled(copy)).toMatchObject({ status: 'expired', events: ['expired'] });
  });
});
