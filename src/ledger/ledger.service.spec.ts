import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { eventually } from '../../test/support/eventually.js';
import { aChain, aMerchant, type SeededChain } from '../../test/support/factories.js';
import { query } from '../../test/support/sql.js';
import { type Database } from '../platform/database/database.js';
import { defineAll } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { bookEntry } from './bookings.sql.js';
import { LedgerService } from './ledger.service.js';
import { type Booking, newEntry } from './new-entry.js';
import { type DepositAccounts, PocketsService } from './pockets.service.js';

const ledger = new LedgerService();
const pockets = new PocketsService();

let db: TestDatabase;
let database: Database;
let chain: SeededChain;
let accounts: DepositAccounts;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
  chain = await aChain(database);
});
afterAll(() => db.drop());

beforeEach(async () => {
  const tenant = await aMerchant(database);
  accounts = await database.transaction((tx) =>
    pockets.depositAccounts(tx, tenant, { ...chain, symbol: 'USDC', minorUnitExponent: 2 }),
  );
});

/** Moves `amount` from the chain into the pocket, or out of it when negative. */
function booking(reference: string, amount: bigint, outside = -amount): Booking {
  const { asset, chainAccountId, availableAccountId } = accounts;
  return {
    reference: `${reference}:${availableAccountId}`,
    kind: 'deposit',
    environment: 'sandbox',
    legs: [
      { accountId: availableAccountId, asset, amount },
      { accountId: chainAccountId, asset, amount: outside },
    ],
  };
}

const book = (what: Booking): Promise<boolean> => database.transaction((tx) => ledger.book(tx, what));

async function balance(): Promise<bigint> {
  const [row] = await query<{ balance: string }>(database, `select balance from account where id = $1`, [
    accounts.availableAccountId,
  ]);
  return BigInt(row?.balance ?? -1);
}

describe('booking', () => {
  it('does not rely on earlier reads: two withdrawals that read enough money cannot both spend it [D-48]', async () => {
    await book(booking('deposit', 100n));
    const bothHaveRead = Promise.withResolvers<void>();
    let readers = 0;
    const spend = (reference: string): Promise<boolean> =>
      database.transaction(async (tx) => {
        if ((await balance()) < 100n) throw new Error('nothing to spend');
        if (++readers === 2) bothHaveRead.resolve();
        await bothHaveRead.promise;
        return ledger.book(tx, booking(reference, -100n));
      });
    const spent = await Promise.allSettled([spend('first'), spend('second')]);
    expect(spent.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await balance()).toBe(0n);
  });

  it('books a fact once, however often and however many at a time it is booked', async () => {
    const booked = await Promise.all(Array.from({ length: 20 }, () => book(booking('deposit', 700n))));
    expect(booked.filter(Boolean)).toHaveLength(1);
    expect(await book(booking('deposit', 700n))).toBe(false);
    expect(await balance()).toBe(700n);
  });

  it('refuses a reference that is booked with other content: two facts cannot share a name [H-100]', async () => {
    await book(booking('deposit', 700n));
    await expect(book(booking('deposit', 701n))).rejects.toThrow(/^deposit:\d+ is already booked with other legs\.$/);
    expect(await balance()).toBe(700n);
  });

  it('books a whole batch, and leaves out entries that are already booked or come twice', async () => {
    await book(booking('one', 1n));
    const batch = [booking('two', 20n), booking('one', 1n), booking('three', 300n), booking('two', 20n)];
    const bookBatch = (what: readonly Booking[]): Promise<number> =>
      database.transaction((tx) => ledger.bookAll(tx, what));
    expect(await bookBatch(batch)).toBe(2);
    expect(await bookBatch(batch)).toBe(0);
    expect(await bookBatch([])).toBe(0);
    await expect(bookBatch([booking('four', 4n), booking('four', 5n)])).rejects.toThrow('is already booked');
    expect(await balance()).toBe(321n);
  });

  it('lets 40 parallel debits of 100 take exactly the balance: 10 pass from 1000, 30 are refused [H-102]', async () => {
    await book(booking('fill', 1000n));
    const debits = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => book(booking(`debit ${i}`, -100n))));
    const refused = debits.filter((debit) => debit.status === 'rejected');
    expect(debits.length - refused.length).toBe(10);
    for (const { reason } of refused) expect(String(reason)).toContain('account_balance_check');
    expect(await balance()).toBe(0n);
  });

  it('locks accounts by their number, whatever the order of the legs: two over the same accounts in opposite order cannot deadlock [D-46]', async () => {
    const { asset, chainAccountId, availableAccountId: first } = accounts;
    const { availableAccountId: second } = await database.transaction(async (tx) =>
      pockets.depositAccounts(tx, await aMerchant(database), { ...chain, symbol: 'USDC', minorUnitExponent: 2 }),
    );
    const between = (reference: string, ...legs: [account: number, amount: bigint][]): Booking => ({
      ...booking(reference, 0n),
      legs: legs.map(([accountId, amount]) => ({ accountId, asset, amount })),
    });
    await book(between('fill', [chainAccountId, -20n], [first, 10n], [second, 10n]));
    const holdsFirst = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const lock = (account: number, how = '') => `select from account where id = ${account} for update ${how}`;
    const holder = database.transaction(async (tx) => {
      await query(tx, lock(first));
      holdsFirst.resolve();
      await mayEnd.promise;
      // No transaction that waits for the first account has locked the second.
      return (await query(tx, lock(second, 'skip locked'))).length;
    });
    await holdsFirst.promise;
    const booked = [
      book(between('there', [first, -1n], [second, 1n])),
      book(between('back', [second, -2n], [first, 2n])),
    ];
    await eventually(
      async () => {
        const waiting = await query(
          database,
          `select from pg_locks where not granted and locktype in ('transactionid', 'tuple')`,
        );
        return waiting.length;
      },
      (seen) => seen >= 2,
    );
    mayEnd.resolve();
    expect({ freeRowsOfTheSecondAccount: await holder }).toEqual({ freeRowsOfTheSecondAccount: 1 });
    expect(await Promise.all(booked)).toEqual([true, true]);
  });

  it('books an entry as a step of another statement: only if its condition holds, and never a reference twice', async () => {
    const bookIf = (condition: boolean) => {
      const { entry, legs } = newEntry(booking('step', 7n));
      const steps = bookEntry(entry, legs, sql`${condition}::boolean`);
      return database.rows(sql`with ${defineAll(steps)} select 1`);
    };
    await bookIf(false);
    expect(await balance()).toBe(0n);
    await bookIf(true);
    await expect(bookIf(true)).rejects.toThrow('entry_reference');
    expect(await balance()).toBe(7n);
  });

  it('keeps nothing of an entry whose transaction rolls back, so that its reference can be booked again', async () => {
    const failing = database.transaction(async (tx) => {
      await ledger.book(tx, booking('deposit', 5n));
      throw new Error('the power went');
    });
    await expect(failing).rejects.toThrow('the power went');
    expect(await book(booking('deposit', 5n))).toBe(true);
    expect(await balance()).toBe(5n);
  });

  it('is exact beyond 2^63 [H-105]', async () => {
    const amount = 123_456_789_012_345_678_901_234_567_890n;
    await book(booking('deposit', amount));
    expect(await balance()).toBe(amount);
  });

  it('is refused in another environment than that of the accounts [H-103]', async () => {
    await expect(book({ ...booking('deposit', 5n), environment: 'live' })).rejects.toThrow('foreign key');
  });

  it('is refused before anything is written when the legs do not balance [H-100]', async () => {
    await expect(book(booking('deposit', 5n, -4n))).rejects.toThrow('unexplained');
    expect(await balance()).toBe(0n);
  });
});
