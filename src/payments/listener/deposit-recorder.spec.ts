import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { untilOneWaitsForALock } from '../../../test/support/waiting-for-lock.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  freeAddresses,
  type SeededChain,
  type SeededIntent,
} from '../../../test/support/factories.js';
import { holdLease } from '../../../test/support/leases.js';
import { randomHex } from '../../../test/support/random-values.js';
import { query } from '../../../test/support/sql.js';
import type { Sighting } from '../../chains/chain.js';
import { markDirty } from '../intents/dirty-intents.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { LeaseLost } from '../../platform/leases.js';
import { createLogger } from '../../platform/logging.js';
import type { ChainStep, Cursor } from './chain-reader.js';
import { CursorMoved, haltChain, type StepToRecord } from './chain-cursor.js';
import { DepositRecorder } from './deposit-recorder.service.js';

const LEASE = { name: 'listener', epoch: 7 };

/** Counts how often a transaction is begun: a deadlock is met with another try. */
class CountingDatabase extends Database {
  tries = 0;

  override transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return super.transaction((tx) => {
      this.tries++;
      return work(tx);
    });
  }
}

let db: TestDatabase;
let database: CountingDatabase;
let recorder: DepositRecorder;
let chain: SeededChain;

beforeAll(async () => {
  db = await freshDatabase();
  database = new CountingDatabase(db.orm);
  chain = await aChain(database);
  recorder = new DepositRecorder(database, createLogger('silent'));
  await holdLease(database, LEASE);
});
afterAll(() => db.drop());

const anyIntent = async (): Promise<SeededIntent> => anIntent(database, { tenant: await aMerchant(database), chain });

async function cursor(): Promise<Cursor> {
  const [row] = await query<{ height: string; hash: string; finalized_height: string }>(
    database,
    `select height, hash, finalized_height from chain_cursor where chain_ref = $1`,
    [chain.chainRef],
  );
  return {
    height: Number(row?.height),
    hash: row?.hash ?? '',
    finalizedHeight: Number(row?.finalized_height),
  };
}

/** A transfer to `to` of the chain's token, or of another listed one. */
function transfer(to: string, token = chain.contract): Sighting {
  return { txHash: randomHex(32), position: 0, token, from: randomHex(20), to, amount: 5n };
}

/** One block on top of the cursor with these transfers; `final` blocks at its end are final. */
function stepOn(top: Cursor, sightings: readonly Sighting[], finalizedHeight = top.finalizedHeight): ChainStep {
  const height = top.height + 1;
  const header = { height, hash: randomHex(32), parentHash: top.hash, time: new Date() };
  const blocks = [{ header, sightings }];
  return { rollbackTo: null, blocks, balances: [], headHeight: height, finalizedHeight, isCaughtUp: true };
}

/** A step that reached the head and found the chain as it was. */
const nothingOn = ({ height, finalizedHeight }: Cursor): ChainStep => {
  return { rollbackTo: null, blocks: [], balances: [], headHeight: height, finalizedHeight, isCaughtUp: true };
};

const record = (top: Cursor, step: ChainStep, more: Partial<StepToRecord> = {}): Promise<readonly string[]> =>
  recorder.record({
    chainRef: chain.chainRef,
    cursor: top,
    step,
    lease: LEASE,
    readAt: new Date(),
    secondNodeAboveCents: null,
    ...more,
  });

async function storedAt(address: string) {
  return query<{ intent_id: string | null; unattributed_reason: string | null }>(
    database,
    `select intent_id, unattributed_reason from deposit where to_address = $1`,
    [address],
  );
}

describe('recording a step', () => {
  it('keeps another listed token apart from the one that is asked for [G-95]', async () => {
    const intent = await anyIntent();
    const top = await cursor();
    expect(await record(top, stepOn(top, [transfer(intent.address, randomHex(20))]))).toEqual([]);
    expect(await storedAt(intent.address)).toEqual([{ intent_id: null, unattributed_reason: 'other_token' }]);
  });

  it('happens once when two recorders hold the same step [D-50]', async () => {
    const intent = await anyIntent();
    const top = await cursor();
    const step = stepOn(top, [transfer(intent.address)]);
    const outcomes = await Promise.allSettled([record(top, step), record(top, step)]);
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(failures).toEqual([expect.any(CursorMoved)]);
    expect(await storedAt(intent.address)).toHaveLength(1);
  });

  it('orphans all that lies above the common ancestor, the lowest block too, and nothing at or below it [F-64]', async () => {
    const intents = [await anyIntent(), await anyIntent(), await anyIntent()];
    const tops: Cursor[] = [];
    for (const { address } of intents) {
      const top = await cursor();
      tops.push(top);
      await record(top, stepOn(top, [transfer(address)]));
    }
    const [, ancestor] = tops;
    if (ancestor === undefined) throw new Error('There is no ancestor.');
    const touched = await record(await cursor(), { ...nothingOn(ancestor), rollbackTo: ancestor });
    const above = intents.slice(1).map(({ id }) => id);
    expect(touched.toSorted()).toEqual(above.toSorted());
    const orphaned = await query<{ intent_id: string }>(
      database,
      `select intent_id from deposit where intent_id = any($1) and status = 'orphaned'`,
      [intents.map(({ id }) => id)],
    );
    expect(orphaned.map((row) => row.intent_id).toSorted()).toEqual(above.toSorted());
  });

  it('is refused under an epoch that has passed, and halts nothing [D-50]', async () => {
    const top = await cursor();
    const former = { ...LEASE, epoch: LEASE.epoch - 1 };
    await expect(record(top, stepOn(top, []), { lease: former })).rejects.toThrow(LeaseLost);
    await expect(haltChain(database, chain.chainRef, 'no reason', former)).rejects.toThrow(LeaseLost);
    expect(await cursor()).toEqual(top);
  });

  it('records a check that found nothing with one statement, the time and the head in it', async () => {
    const top = await cursor();
    database.tries = 0;
    const readAt = new Date(Date.now() + 60_000);
    expect(await record(top, nothingOn(top), { readAt })).toEqual([]);
    expect(database.tries).toBe(0);
    expect(await cursor()).toEqual(top);
    const noted = await query(
      database,
      `select head_height from chain_cursor where chain_ref = $1 and synced_at = $2`,
      [chain.chainRef, readAt],
    );
    expect(noted).toEqual([{ head_height: String(top.height) }]);
  });

  it.each<[name: string, look: (top: Cursor) => Promise<unknown>, error: new (...args: never[]) => Error]>([
    ['another epoch', (top) => record(top, nothingOn(top), { lease: { ...LEASE, epoch: LEASE.epoch - 1 } }), LeaseLost],
    ['another cursor', (top) => record({ ...top, hash: randomHex(32) }, nothingOn(top)), CursorMoved],
  ])('refuses a check that found nothing under %s [D-50]', async (_, look, error) => {
    const stand = (): Promise<unknown> => query(database, `select * from chain_cursor`);
    const before = await stand();
    await expect(look(await cursor())).rejects.toThrow(error);
    expect(await stand()).toEqual(before);
  });

  it('records no check of a chain that is halted', async () => {
    const top = await cursor();
    await haltChain(database, chain.chainRef, 'no reason', LEASE);
    await expect(record(top, nothingOn(top))).rejects.toThrow(CursorMoved);
    await query(database, `update chain_cursor set halted_reason = null where chain_ref = $1`, [chain.chainRef]);
  });

  it('attributes money to the intent that is assigned the address at that moment [G-97]', async () => {
    const like = await anyIntent();
    const [address = ''] = await freeAddresses(database, 1);
    const id = `${like.id}x`;
    const top = await cursor();
    const updated = Promise.withResolvers<void>();
    const recording = Promise.withResolvers<void>();
    const assigning = database.transaction(async (tx) => {
      await query(
        tx,
        `insert into payment_intent
         select (jsonb_populate_record(original, jsonb_build_object('id', $2::text, 'address', $3::text))).*
           from payment_intent original where id = $1`,
        [like.id, id, address],
      );
      await query(tx, `update pool_address set intent_id = $1, assigned_at = now() where address = $2`, [id, address]);
      updated.resolve();
      await recording.promise;
    });
    await updated.promise;
    const recorded = record(top, stepOn(top, [transfer(address)]));
    await untilOneWaitsForALock(database);
    recording.resolve();
    await assigning;
    expect(await recorded).toEqual([id]);
    expect(await storedAt(address)).toEqual([{ intent_id: id, unattributed_reason: null }]);
    const [row] = await query<{ retired_at: string | null }>(
      database,
      `select retired_at from pool_address where address = $1`,
      [address],
    );
    expect(row?.retired_at).toBeNull();
  });

  it('never deadlocks with the settlement of an intent whose deposit it makes final [D-46]', async () => {
    const intent = await anyIntent();
    const top = await cursor();
    const deposit = await aDeposit(database, intent, { blockHeight: top.height });
    await database.transaction((tx) => markDirty(tx, [intent.id]));
    database.tries = 0;
    const deleted = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    // As a settlement does, in its order: the intent, its mark, its deposits.
    const settling = database.transaction(async (tx) => {
      await query(tx, `select from payment_intent where id = $1 for no key update`, [intent.id]);
      await query(tx, `delete from dirty_intent where intent_id = $1`, [intent.id]);
      deleted.resolve();
      await goOn.promise;
      await query(tx, `update deposit set late = false where id = $1`, [deposit]);
    });
    await deleted.promise;
    const recorded = record(top, stepOn(top, [], top.height));
    await untilOneWaitsForALock(database);
    goOn.resolve();
    await settling;
    expect(await recorded).toContain(intent.id);
    expect(database.tries).toBe(2);
    expect(await query(database, `select from dirty_intent where intent_id = $1`, [intent.id])).toHaveLength(1);
  });

  it('makes a deposit final with its very block, and not one block before', async () => {
    const intent = await anyIntent();
    const top = await cursor();
    const payment = transfer(intent.address);
    const status = () => query(database, `select status from deposit where tx_hash = $1`, [payment.txHash]);
    await record(top, stepOn(top, [payment], top.height));
    expect(await status()).toEqual([{ status: 'seen' }]);
    const above = await cursor();
    await record(above, stepOn(above, [], above.height));
    expect(await status()).toEqual([{ status: 'confirmed' }]);
  });

  it('makes a deposit final in a check that found nothing, once nothing contradicts it any more', async () => {
    const intent = await anyIntent();
    const top = await cursor();
    const payment = transfer(intent.address);
    const twoNodes = { secondNodeAboveCents: 0 };
    await record(top, stepOn(top, [payment], top.height + 1), twoNodes);
    const final = await cursor();
    expect(await record(final, nothingOn(final), twoNodes)).toEqual([]);
    await query(database, `update deposit set second_node_at = now() where tx_hash = $1`, [payment.txHash]);
    expect(await record(final, nothingOn(final), twoNodes)).toEqual([intent.id]);
    expect(await query(database, `select status from deposit where tx_hash = $1`, [payment.txHash])).toEqual([
      { status: 'confirmed' },
    ]);
  });
});
