import * as fc from 'fast-check';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  type SeededChain,
  type SeededIntent,
} from '../../../test/support/factories.js';
import { holdLease } from '../../../test/support/leases.js';
import { randomHex } from '../../../test/support/random-values.js';
import { query } from '../../../test/support/sql.js';
import type { Sighting } from '../../chains/chain.js';
import { createLogger } from '../../platform/logging.js';
import type { StepToRecord } from './chain-cursor.js';
import type { ChainStep } from './chain-reader.js';
import { DepositRecorder } from './deposit-recorder.service.js';
import { recordEmptyBlocks } from './empty-blocks.js';

const LEASE = { name: 'listener', epoch: 7 };
const BASE = 1_000;
const INTENTS = 3;

let db: TestDatabase;
let recorder: DepositRecorder;

/** A chain with intents that its deposits can belong to. */
interface Side {
  readonly chain: SeededChain;
  readonly intents: readonly SeededIntent[];
}
/** The same books on two chains: one of them gets a transfer to another wallet, so that its steps are recorded in full. */
let short: Side;
let full: Side;

beforeAll(async () => {
  db = await freshDatabase();
  recorder = new DepositRecorder(db.database, createLogger('silent'));
  await holdLease(db.database, LEASE);
  short = await sideOn('polygon');
  full = await sideOn('bnb');
});
afterAll(() => db.drop());

async function sideOn(network: 'polygon' | 'bnb'): Promise<Side> {
  const chain = await aChain(db.database, { network });
  const tenant = await aMerchant(db.database);
  const intents = [];
  for (let n = 0; n < INTENTS; n++) intents.push(await anIntent(db.database, { tenant, chain }));
  return { chain, intents };
}

/** Something in the books, at a height above or below the cursor, in a block that the chain has or no longer has. */
interface Booked {
  readonly above: number;
  readonly isOnChain: boolean;
}
interface BookedDeposit extends Booked {
  readonly intent: number;
  readonly status: 'seen' | 'confirmed' | 'orphaned';
}
interface Books {
  readonly deposits: readonly BookedDeposit[];
  readonly fundings: readonly Booked[];
  readonly blocks: number;
  /** The final height of the step above the cursor. */
  readonly finalAbove: number;
  readonly isCaughtUp: boolean;
  readonly secondNodeAboveCents: number | null;
}

const PLAIN = { deposits: [], fundings: [], blocks: 2, finalAbove: -1, isCaughtUp: true, secondNodeAboveCents: null };

/** Hashes of one fork, by height. */
function fork(): (height: number) => string {
  const hashes = new Map<number, string>();
  return (height) => {
    const hash = hashes.get(height) ?? randomHex(32);
    hashes.set(height, hash);
    return hash;
  };
}

async function seed({ chain, intents }: Side, books: Books, hashAt: (height: number) => string): Promise<void> {
  const of = { chainRef: chain.chainRef };
  await query(db.owner, `delete from seen_funding where chain_ref = $1`, [of.chainRef]);
  await query(db.owner, `update deposit set status = 'orphaned' where status = 'seen' and chain_ref = $1`, [
    of.chainRef,
  ]);
  await query(
    db.owner,
    `update chain_cursor
        set height = $2, hash = $3, finalized_height = $4, head_height = $2, epoch = 1, block_time = 'epoch', synced_at = 'epoch'
      where chain_ref = $1`,
    [of.chainRef, BASE, hashAt(BASE), BASE - 3],
  );
  await query(db.owner, `delete from chain_block where chain_ref = $1`, [of.chainRef]);
  await query(
    db.owner,
    `insert into chain_block (chain_ref, height, hash, parent_hash, block_time) values ($1, $2, 'old', 'older', 'epoch')`,
    [of.chainRef, BASE - 66],
  );
  for (const { intent, above, isOnChain, status } of books.deposits) {
    const paid = intents[intent];
    if (paid === undefined) throw new Error('There is no such intent.');
    const place = { blockHeight: BASE + above, blockHash: isOnChain ? hashAt(BASE + above) : randomHex(32) };
    await aDeposit(db.database, paid, { ...place, status, amount: BigInt(BASE + above) });
  }
  for (const { above, isOnChain } of books.fundings) {
    await query(
      db.owner,
      `insert into seen_funding (chain_ref, tx_hash, address_id, amount, block_height, block_hash)
       select $1, $2, min(id), 1, $3, $4 from pool_address`,
      [of.chainRef, randomHex(32), BASE + above, isOnChain ? hashAt(BASE + above) : randomHex(32)],
    );
  }
}

function stepOf(
  { blocks, finalAbove, isCaughtUp }: Books,
  hashAt: (height: number) => string,
  last: readonly Sighting[],
): ChainStep {
  const heights = Array.from({ length: blocks }, (_, n) => BASE + 1 + n);
  return {
    rollbackTo: null,
    blocks: heights.map((height) => ({
      header: { height, hash: hashAt(height), parentHash: hashAt(height - 1), time: new Date(height) },
      sightings: height === BASE + blocks ? last : [],
    })),
    balances: [],
    headHeight: BASE + blocks,
    finalizedHeight: BASE + Math.min(finalAbove, blocks),
    isCaughtUp,
  };
}

/** The step to record, and where it was read from; `last` are the transfers in its last block. */
const readOf = (
  { chain }: Side,
  books: Books,
  hashAt: (height: number) => string,
  last: readonly Sighting[] = [],
): StepToRecord => ({
  chainRef: chain.chainRef,
  cursor: { height: BASE, hash: hashAt(BASE), finalizedHeight: BASE - 3 },
  step: stepOf(books, hashAt, last),
  lease: LEASE,
  readAt: new Date(BASE),
  secondNodeAboveCents: books.secondNodeAboveCents,
});

/** Everything that a step may change, without what differs between two chains. */
async function booksOf({ chain, intents }: Side) {
  const of = [chain.chainRef];
  const ids = intents.map(({ id }) => id);
  return {
    cursor: await query(
      db.database,
      `select height, hash, finalized_height, head_height, block_time, synced_at, epoch, reorg_at
         from chain_cursor where chain_ref = $1`,
      of,
    ),
    blocks: await query<{ height: string }>(
      db.database,
      `select height, hash, parent_hash, block_time from chain_block where chain_ref = $1 order by height`,
      of,
    ),
    deposits: await query(
      db.database,
      `select block_height, status, confirmed_at is null as open, array_position($2, intent_id) as intent
         from deposit where chain_ref = $1 order by 1, 2, 3, 4`,
      [chain.chainRef, ids],
    ),
    fundings: await query(db.database, `select block_height from seen_funding where chain_ref = $1 order by 1`, of),
    dirty: await query(
      db.database,
      `select array_position($1, intent_id) as intent from dirty_intent where intent_id = any($1) order by 1`,
      [ids],
    ),
  };
}

/** A transfer to an address that is not ours. */
const toAnotherWallet = (): Sighting => ({
  txHash: randomHex(32),
  position: 0,
  token: randomHex(20),
  from: randomHex(20),
  to: randomHex(20),
  amount: 1n,
});

const booked = { above: fc.integer({ min: -5, max: 4 }), isOnChain: fc.boolean() };
const anyBooks: fc.Arbitrary<Books> = fc.record({
  deposits: fc.array(
    fc.record({
      ...booked,
      intent: fc.nat(INTENTS - 1),
      status: fc.constantFrom('seen' as const, 'confirmed' as const, 'orphaned' as const),
    }),
    { maxLength: 4 },
  ),
  fundings: fc.array(fc.record(booked), { maxLength: 2 }),
  // A step of many blocks that are final at once stores none that no reorg can reach.
  blocks: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.constant(70)),
  finalAbove: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: -3, max: 3 }) }, fc.constant(70)),
  isCaughtUp: fc.boolean(),
  secondNodeAboveCents: fc.constantFrom(null, 0),
});

describe('blocks without a transfer to our addresses', () => {
  it('change the books as they do when they are recorded in full, whatever the books hold [D-50] [F-64]', async () => {
    await fc.assert(
      fc.asyncProperty(anyBooks, async (books) => {
        const hashAt = fork();
        await query(db.owner, `delete from dirty_intent`);
        for (const side of [short, full]) await seed(side, books, hashAt);
        const touched = await recorder.record(readOf(short, books, hashAt));
        const expected = await recorder.record(readOf(full, books, hashAt, [toAnotherWallet()]));
        const places = (ids: readonly string[], { intents }: Side) =>
          ids.map((id) => intents.findIndex((intent) => intent.id === id)).toSorted((one, other) => one - other);
        expect(places(touched, short)).toEqual(places(expected, full));
        expect(await booksOf(short)).toEqual(await booksOf(full));
      }),
      { numRuns: 60 },
    );
  });

  const open = (above: number, isOnChain = true): BookedDeposit => ({ intent: 0, status: 'seen', above, isOnChain });
  it.each<[does: string, name: string, deposits: readonly BookedDeposit[], isDone: boolean]>([
    ['are', 'without deposits', [], true],
    ['are', 'with a deposit that stays unfinal', [open(0)], true],
    ['are', 'with a deposit that is final', [{ ...open(-1), status: 'confirmed' }], true],
    ['are not', 'with a deposit that becomes final', [open(-1)], false],
    ['are not', 'with a deposit in a block that these replace', [open(1, false)], false],
  ])('%s recorded by one statement %s', async (_does, _name, deposits, isDone) => {
    const hashAt = fork();
    const books = { ...PLAIN, deposits };
    await seed(short, books, hashAt);
    const before = await booksOf(short);
    expect(await recordEmptyBlocks(db.database, readOf(short, books, hashAt))).toBe(isDone);
    const after = await booksOf(short);
    if (isDone) expect(after.cursor).toMatchObject([{ height: String(BASE + 2), hash: hashAt(BASE + 2) }]);
    else expect(after).toEqual(before);
  });

  it('are stored from the lowest that a reorg can reach', async () => {
    const hashAt = fork();
    const books = { ...PLAIN, blocks: 70, finalAbove: 70 };
    await seed(short, books, hashAt);
    expect(await recordEmptyBlocks(db.database, readOf(short, books, hashAt))).toBe(true);
    const heights = (await booksOf(short)).blocks.map(({ height }) => Number(height));
    expect(heights).toEqual(Array.from({ length: 65 }, (_, n) => BASE + 6 + n));
  });

  const setCursor = (columns: string) =>
    query(db.owner, `update chain_cursor set ${columns} where chain_ref = $1`, [short.chain.chainRef]);

  it.each<{ state: string; change?: Partial<StepToRecord>; cursor?: string }>([
    { state: 'under an epoch that has passed', change: { lease: { ...LEASE, epoch: LEASE.epoch - 1 } } },
    { state: 'under an epoch that has not come', change: { lease: { ...LEASE, epoch: LEASE.epoch + 1 } } },
    {
      state: 'from another cursor',
      change: { cursor: { height: BASE, hash: randomHex(32), finalizedHeight: BASE - 3 } },
    },
    { state: 'while the cursor is of a later epoch', cursor: `epoch = ${LEASE.epoch + 1}` },
    { state: 'while the chain is halted', cursor: `halted_reason = 'A final block changed.'` },
    {
      state: 'while the listener is paused',
      cursor: `paused_at = now(), paused_by = 'staff', paused_reason = 'a test'`,
    },
  ])('are not recorded $state, and nothing is written [D-50]', async ({ change = {}, cursor = 'epoch = 1' }) => {
    const hashAt = fork();
    const books = { ...PLAIN, fundings: [{ above: 1, isOnChain: false }] };
    await seed(short, books, hashAt);
    await setCursor(cursor);
    const before = await booksOf(short);
    expect(await recordEmptyBlocks(db.database, { ...readOf(short, books, hashAt), ...change })).toBe(false);
    expect(await booksOf(short)).toEqual(before);
    await setCursor('halted_reason = null, paused_at = null, paused_by = null, paused_reason = null');
  });
});
