import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aMerchant, type SeededChain } from '../../test/support/factories.js';
import { sqlRefusalOf } from '../../test/support/sql-refusal.js';
import { query } from '../../test/support/sql.js';
import { BEFORE_FIRST_LINK } from '../domain/hash-chain.js';
import type { Tenant } from '../domain/tenant.js';
import { Database } from '../platform/database/database.js';
import { LedgerService } from './ledger.service.js';
import type { Booking } from './new-entry.js';
import { PocketsService } from './pockets.service.js';
import { sealHash } from './seal-chain.js';
import { Sealer } from './sealer.service.js';

let db: TestDatabase;
let database: Database;
let chain: SeededChain;
let tenant: Tenant;
let sealer: Sealer;

beforeEach(async () => {
  db = await freshDatabase();
  database = db.database;
  sealer = new Sealer(database);
  [chain, tenant] = await Promise.all([aChain(database), aMerchant(database)]);
});
afterEach(() => db.drop());

/** Returns `count` entries whose references begin with `prefix`. */
async function bookings(count: number, prefix: string): Promise<Booking[]> {
  const { asset, chainAccountId, availableAccountId } = await database.transaction((tx) =>
    new PocketsService().depositAccounts(tx, tenant, chain),
  );
  const legs = [
    { accountId: chainAccountId, asset, amount: -1n },
    { accountId: availableAccountId, asset, amount: 1n },
  ];
  return Array.from({ length: count }, (_, i) => ({
    reference: `deposit:${prefix}${i}`,
    kind: 'deposit',
    environment: 'sandbox',
    legs,
  }));
}

/** Books `count` entries, each in its own transaction. */
async function book(count: number, prefix = 'a'): Promise<void> {
  const all = await bookings(count, prefix);
  await Promise.all(all.map((booking) => database.transaction((tx) => new LedgerService().book(tx, booking))));
}

interface SealRow {
  readonly sequence: string;
  readonly entry_id: string;
  readonly content_hash: string;
  readonly hash: string;
  readonly booked_at: string;
}

const seals = (): Promise<SealRow[]> =>
  query(
    database,
    `select seal.*, to_char(entry.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as booked_at
       from ledger_seal seal join entry on entry.id = entry_id order by sequence`,
  );

describe('the sealer', () => {
  it('chains every entry once, in one order without gaps, however many processes seal at the same time', async () => {
    const others = [new Sealer(new Database(db.orm)), new Sealer(new Database(db.orm)), sealer];
    const counts: number[] = [];
    for (const prefix of ['a', 'b', 'c']) {
      await Promise.all([book(30, prefix), ...others.map(async (one) => counts.push(await one.seal()))]);
    }
    counts.push(await sealer.seal());
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(90);
    let previous = BEFORE_FIRST_LINK;
    for (const [place, seal] of (await seals()).entries()) {
      const { entry_id: entryId, content_hash: contentHash, booked_at: bookedAt } = seal;
      const hash = sealHash(previous, { sequence: place + 1, entryId, bookedAt, contentHash });
      expect([Number(seal.sequence), seal.hash]).toEqual([place + 1, hash]);
      previous = hash;
    }
    expect(await seals()).toHaveLength(90);
    expect(await query(database, `select from unsealed_entry`)).toEqual([]);
  });

  it('has nothing to chain before anything is booked', async () => {
    expect([await sealer.seal(), await seals()]).toEqual([0, []]);
  });

  it('takes as many entries as there are, a thousand in one transaction', async () => {
    const many = await bookings(2_100, 'm');
    await database.transaction((tx) => new LedgerService().bookAll(tx, many));
    expect(await sealer.seal()).toBe(2_100);
    expect(await seals()).toHaveLength(2_100);
  });
});

it('continues when an entry was put into the queue twice', async () => {
  await book(2);
  await sealer.seal();
  await query(database, `insert into unsealed_entry select entry_id from ledger_seal`);
  await book(1, 'next');
  await sealer.seal();
  expect(await seals()).toHaveLength(3);
  expect(await query(database, `select from unsealed_entry`)).toEqual([]);
});

describe('the database itself', () => {
  beforeEach(async () => {
    await book(3);
    await sealer.seal();
    await book(1, 'next');
  });

  it.each([
    ['whose hash is made up', 4],
    ['that leaves a number out', 5],
  ])('refuses a seal %s', async (_name, sequence) => {
    const forged = `insert into ledger_seal (sequence, entry_id, content_hash, hash)
      select ${sequence}, entry.id, entry.content_hash, repeat('f', 64)
        from entry join unsealed_entry on entry_id = entry.id`;
    expect(await sqlRefusalOf(database, forged)).toBe(`seal ${sequence} does not follow from the one before it`);
  });

  it.each([`update ledger_seal set hash = 'x'`, `delete from ledger_seal`, `truncate ledger_seal`])(
    'refuses %s',
    async (statement) => {
      expect(await sqlRefusalOf(db.owner, statement)).toMatch(/^the ledger is append-only/);
    },
  );
});
