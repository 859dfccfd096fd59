import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  freeAddresses,
  type SeededChain,
} from '../../../test/support/factories.js';
import { copiesOfIntent } from '../../../test/support/intent-copies.js';
import { readTypedByGenericPlan } from '../../../test/support/query-plan.js';
import { query } from '../../../test/support/sql.js';
import type { Tenant } from '../../domain/tenant.js';
import type { Database } from '../../platform/database/database.js';
import { NativeReadPlanner } from './native-read-planner.js';
import { findWaiting, nextOfRound } from './native-reads.sql.js';

const EVM = { environment: 'sandbox', family: 'evm' } as const;
const TURN_MS = 10_000;
/** Balances per request of a node that reads them one by one. */
const PER_REQUEST = 100;
const LIMITS = { balancesPerRequest: PER_REQUEST, balancesPerStep: 1_000 };
const HOUR_S = 3_600;

let db: TestDatabase;
let database: Database;
let tenant: Tenant;
let polygon: SeededChain;
let ethereum: SeededChain;
let nowMs: number;
let planner: NativeReadPlanner;

beforeEach(async () => {
  db = await freshDatabase();
  database = db.database;
  tenant = await aMerchant(database);
  polygon = await aChain(database, { network: 'polygon', coin: 'POL' });
  ethereum = await aChain(database, { network: 'ethereum', coin: 'ETH' });
  nowMs = 0;
  planner = new NativeReadPlanner(database, polygon.chainRef, EVM, () => nowMs);
});
afterEach(() => db.drop());

/** One step that is recorded, and the addresses whose balances it asks for. */
async function step(): Promise<readonly string[]> {
  const { balancesOf, turn } = await planner.plan(true, LIMITS);
  planner.recorded();
  if (turn !== undefined) {
    await query(database, `update chain_cursor set native_round_below = $2 where chain_ref = $1`, [
      polygon.chainRef,
      turn.nextBelow,
    ]);
  }
  return balancesOf;
}

describe("what a step asks about the chain's own coin", () => {
  it('is nothing of its blocks while no intent waits for the coin on this chain', async () => {
    const usdc = { ...polygon, symbol: 'USDC', contract: `0x${'a1'.repeat(20)}`, decimals: 6 };
    await anIntent(database, { tenant, chain: usdc });
    await anIntent(database, { tenant, chain: ethereum });
    expect(await planner.plan(true, LIMITS)).toMatchObject({ transactions: false });
    expect(await planner.plan(false, LIMITS)).toEqual({ transactions: false, balancesOf: [] });
  });

  it('is every transaction and the balances of those who wait for it, or stopped waiting within the hour', async () => {
    await step();
    const open = await anIntent(database, { tenant, chain: polygon });
    const processing = await anIntent(database, { tenant, chain: polygon, status: 'processing' });
    const endedLately = await anIntent(database, { tenant, chain: polygon, status: 'completed', expiresIn: 60 });
    await anIntent(database, { tenant, chain: polygon, status: 'expired', expiresIn: -60 });
    expect(await planner.plan(true, LIMITS)).toMatchObject({
      transactions: true,
      balancesOf: [open.address, processing.address, endedLately.address],
    });
  });

  it('is every transaction too while a reorged payment in the coin may come back [F-65]', async () => {
    const intent = await anIntent(database, { tenant, chain: polygon });
    const id = await aDeposit(database, intent, { status: 'confirmed' });
    await query(database, `update payment_intent set status = 'expired', updated_at = now() - interval '1 day'`);
    const asked = async (): Promise<boolean> => (await planner.plan(false, LIMITS)).transactions;
    expect(await asked()).toBe(false);
    await query(database, `update deposit set gone_at = now() where id = $1`, [id]);
    expect(await asked()).toBe(true);
    await query(database, `update deposit set gone_at = null where id = $1`, [id]);
    expect(await asked()).toBe(false);
  });

  it('is no balance below the head, where nodes may have forgotten it', async () => {
    await anIntent(database, { tenant, chain: polygon, expiresIn: HOUR_S });
    expect(await planner.plan(false, LIMITS)).toEqual({ transactions: true, balancesOf: [] });
  });

  it('covers no more than a step may ask for, and has read all as of the first part of a round', async () => {
    await step();
    const { id } = await anIntent(database, { tenant, chain: polygon });
    await copiesOfIntent(database, id, 4);
    const at = (nth: number): Date => new Date(nth * 1_000);
    const readPart = async (nth: number): Promise<readonly [count: number, readTo: Date]> => {
      const { balancesOf } = await planner.plan(true, { ...LIMITS, balancesPerStep: 2 });
      return [balancesOf.length, planner.readAsOf(at(nth))];
    };
    expect(await readPart(1)).toEqual([2, at(0)]);
    planner.recorded();
    expect(await readPart(2)).toEqual([2, at(0)]);
    planner.recorded();
    // The step failed, and its part is read again.
    expect(await readPart(3)).toEqual([1, at(1)]);
    expect(await readPart(4)).toEqual([1, at(1)]);
    planner.recorded();
    planner.planWithoutBlocks();
    expect(planner.readAsOf(at(5))).toEqual(at(1));
    expect(await readPart(6)).toEqual([2, at(1)]);
  });

  it('covers more than 1,000 waiting intents in turns, and asks again after a step that failed', async () => {
    const { id, address } = await anIntent(database, { tenant, chain: polygon });
    await step();
    const all = [address, ...(await copiesOfIntent(database, id, 1_499))];
    expect((await planner.plan(true, LIMITS)).balancesOf).toEqual(all.slice(0, 1_000));
    expect(await step()).toEqual(all.slice(0, 1_000));
    expect(await step()).toEqual(all.slice(1_000));
    expect(await step()).toEqual(all.slice(0, 1_000));
    // The rest has stopped waiting meanwhile: the next round begins.
    await query(
      database,
      `update payment_intent set status = 'cancelled', updated_at = now() - interval '2 hours'
                           where address = any($1)`,
      [all.slice(1_000)],
    );
    expect(await step()).toEqual(all.slice(0, 1_000));
    expect(await step()).toEqual(all.slice(0, 1_000));
  });

  it('is found in few pages of an index, however many addresses there are [J-139]', async () => {
    const { id } = await anIntent(database, { tenant, chain: polygon });
    await query(
      database,
      `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
       select 'sandbox', 'evm', 500000 + i, 'm', 'old_' || i, 'old_' || i from generate_series(1, 50000) i`,
    );
    await copiesOfIntent(database, id, 5_000);
    await query(db.owner, `analyze`);
    const anybody = await readTypedByGenericPlan(database, findWaiting(polygon.chainRef, '', 1));
    expect(anybody.pages).toBeLessThan(50);
    const many = await readTypedByGenericPlan(database, findWaiting(polygon.chainRef, '', 1_001));
    // Five for each of the 1,001: an index of three levels and two rows.
    expect(many.pages).toBeLessThan(6_000);
    for (const { scans } of [anybody, many]) {
      expect(scans).toContain('Index Scan on pool_address by pool_address_intent_id_key');
      expect(scans.filter((scan) => scan.includes('pool_address'))).toHaveLength(1);
    }
    const turn = await readTypedByGenericPlan(database, nextOfRound(EVM, polygon.chainRef, 100));
    expect(turn.pages).toBeLessThan(1_000);
  });

  it('is the balance of every other address, one request in 10 s, newest first, each address once', async () => {
    const addresses = await freeAddresses(database, 130);
    const { address } = await anIntent(database, { tenant, chain: polygon });
    const newestFirst = [address, ...addresses.toReversed()];
    // The waiting one comes up in its turn too, and is asked about once.
    expect((await planner.plan(true, LIMITS)).balancesOf).toEqual(newestFirst.slice(0, 100));
    expect(await step()).toEqual(newestFirst.slice(0, 100));
    nowMs = TURN_MS - 1;
    expect(await step()).toEqual([address]);
    nowMs = TURN_MS;
    expect(await step()).toEqual([address, ...newestFirst.slice(100)]);
    nowMs = 2 * TURN_MS;
    expect(await step()).toEqual(newestFirst.slice(0, 100));
  });

  it('is the balance of 1,000 others in a turn where one request reads as many', async () => {
    const newestFirst = (await freeAddresses(database, 130)).toReversed();
    const { balancesOf, turn } = await planner.plan(true, { ...LIMITS, balancesPerRequest: 1_000 });
    expect(balancesOf).toEqual(newestFirst);
    expect(turn).toEqual({ nextBelow: null });
  });

  it('is the balance of suspects too, once, and theirs alone while no new block comes', async () => {
    const [suspect = '', other = ''] = await freeAddresses(database, 2);
    await step();
    expect(planner.planWithoutBlocks()).toEqual({ transactions: false, balancesOf: [] });
    planner.suspect([suspect]);
    expect(planner.planWithoutBlocks()).toEqual({ transactions: false, balancesOf: [suspect] });
    // That step came to nothing, and meanwhile another one is suspected.
    expect(planner.planWithoutBlocks().balancesOf).toEqual([suspect]);
    planner.suspect([other]);
    planner.recorded();
    expect(await step()).toEqual([other]);
    expect(await step()).toEqual([]);
  });

  it('moves no place in a round by a step without new blocks', async () => {
    const { id, address } = await anIntent(database, { tenant, chain: polygon });
    await step();
    const all = [address, ...(await copiesOfIntent(database, id, 1_499))];
    await planner.plan(true, LIMITS);
    planner.planWithoutBlocks();
    planner.recorded();
    expect(await step()).toEqual(all.slice(0, 1_000));
  });

  it('continues with the others where the process that led before stopped', async () => {
    const newestFirst = (await freeAddresses(database, 130)).toReversed();
    expect(await step()).toEqual(newestFirst.slice(0, 100));
    planner = new NativeReadPlanner(database, polygon.chainRef, EVM, () => nowMs);
    expect(await step()).toEqual(newestFirst.slice(100));
    planner = new NativeReadPlanner(database, polygon.chainRef, EVM, () => nowMs);
    expect(await step()).toEqual(newestFirst.slice(0, 100));
  });

  it('leaves the addresses of another environment alone', async () => {
    await freeAddresses(database, 3, 'live');
    expect(await step()).toEqual([]);
  });
});
