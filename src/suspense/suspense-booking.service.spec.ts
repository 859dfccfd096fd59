import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  freeAddresses,
  moveDeposit,
  type SeededChain,
} from '../../test/support/factories.js';
import { confirmAsListed, listExactly } from '../../test/support/listed-senders.js';
import { LogLines } from '../../test/support/log-lines.js';
import { readByGenericPlan } from '../../test/support/query-plan.js';
import { sqlRefusalOf } from '../../test/support/sql-refusal.js';
import { query } from '../../test/support/sql.js';
import { anUnattributedDeposit, manyBookedDeposits } from '../../test/support/unattributed-deposits.js';
import { assetOf } from '../domain/posting.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { systemAccount } from '../ledger/system-accounts.js';
import { type Database } from '../platform/database/database.js';
import { createLogger } from '../platform/logging.js';
import { DepositsWithoutPocket } from './deposits-without-pocket.service.js';
import { compiled } from '../platform/sql/sql.js';
import { SuspenseBooking } from './suspense-booking.service.js';
import { nextUnbooked } from './suspense-booking.sql.js';

const LISTED = `0x${'ad'.repeat(20)}`;

let db: TestDatabase;
let database: Database;
let polygon: SeededChain;
let bnb: SeededChain;
let address: string;
let suspense: SuspenseBooking;
let log: LogLines;

beforeEach(async () => {
  db = await freshDatabase();
  ({ database } = db);
  polygon = await aChain(database);
  bnb = await aChain(database, { network: 'bnb', decimals: 18 });
  [address = ''] = await freeAddresses(database, 1);
  log = new LogLines();
  suspense = new SuspenseBooking(database, new LedgerService(), createLogger('info', { destination: log }));
});
afterEach(() => db.drop());

const aFreeOne = (chain = polygon, amount = 7n, status: 'seen' | 'confirmed' = 'confirmed'): Promise<string> =>
  anUnattributedDeposit(database, { chain, address, reason: 'address_not_assigned', amount, status });

/** The cached balance of a system account, by network. */
async function holdings(kind: 'suspense' | 'frozen'): Promise<Record<string, string>> {
  const rows = await query<{ network: string; balance: string }>(
    database,
    `select split_part(asset, ':', 1) as network, balance from account where kind = $1`,
    [kind],
  );
  return Object.fromEntries(rows.map(({ network, balance }) => [network, balance]));
}

const heldAs = (): Promise<unknown[]> =>
  query(database, `select id, held_as, credited_at is not null as booked from deposit order by id`);

describe('unattributed deposits', () => {
  it('are booked to suspense once they are final, each once, those of long ago as well [G-97] [G-95]', async () => {
    const ids = [await aFreeOne(), await aFreeOne(polygon, 5n), await aFreeOne(bnb, 10n ** 20n)];
    const pending = await aFreeOne(polygon, 1n, 'seen');
    expect(await suspense.bookFinal()).toBe(3);
    expect(await suspense.bookFinal()).toBe(0);
    expect(await holdings('suspense')).toEqual({ polygon: '12', bnb: String(10n ** 20n) });
    expect(await heldAs()).toEqual([
      ...ids.map((id) => ({ id, held_as: 'suspense', booked: true })),
      { id: pending, held_as: null, booked: false },
    ]);
    await moveDeposit(database, pending, 'confirmed');
    expect(await suspense.bookFinal()).toBe(1);
    expect(await holdings('suspense')).toMatchObject({ polygon: '13' });
  });

  it('are each booked once when many processes come at the same moment [H-100]', async () => {
    for (let nth = 0; nth < 40; nth++) await aFreeOne(nth % 2 === 0 ? polygon : bnb, 1n);
    const counts = await Promise.all(Array.from({ length: 8 }, () => suspense.bookFinal()));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(40);
    expect(await holdings('suspense')).toEqual({ polygon: '20', bnb: '20' });
    expect(await query(database, `select from entry where kind = 'unattributed'`)).toHaveLength(40);
  });

  it('are frozen instead where the sender is on the sanctions list [G-98]', async () => {
    const [listing = ''] = await listExactly(database, LISTED);
    await confirmAsListed(database, await aFreeOne(polygon, 9n, 'seen'), listing);
    expect(await suspense.bookFinal()).toBe(1);
    expect([await holdings('suspense'), await holdings('frozen')]).toEqual([{}, { polygon: '9' }]);
  });

  it('are the only ones that this reads: an intent settles its own', async () => {
    const intent = await anIntent(database, { tenant: await aMerchant(database), chain: polygon });
    await aDeposit(database, intent, { status: 'confirmed' });
    expect(await suspense.bookFinal()).toBe(0);
  });

  it('are booked beside one that cannot be, which is logged and counted [H-100]', async () => {
    const before = await aFreeOne();
    const bad = await aFreeOne();
    const after = await aFreeOne(bnb);
    const asset = assetOf('polygon', polygon.contract);
    await database.transaction(async (tx) =>
      new LedgerService().book(tx, {
        reference: `suspense:${bad}`,
        kind: 'unattributed',
        environment: 'sandbox',
        legs: [
          { accountId: await systemAccount(tx, 'chain', 'sandbox', asset), asset, amount: -1n },
          { accountId: await systemAccount(tx, 'suspense', 'sandbox', asset), asset, amount: 1n },
        ],
      }),
    );
    await query(database, `update deposit set confirmed_at = now() - interval '1 hour' where id = $1`, [bad]);
    expect(await suspense.bookFinal()).toBe(2);
    expect(await heldAs()).toEqual([
      { id: before, held_as: 'suspense', booked: true },
      { id: bad, held_as: null, booked: false },
      { id: after, held_as: 'suspense', booked: true },
    ]);
    expect(log.named('A deposit cannot be booked.')).toEqual([expect.objectContaining({ deposit: bad })]);
    expect(await new DepositsWithoutPocket(database).unbooked()).toBe(1);
  });

  it('are not booked while they are reorged [F-64]', async () => {
    const id = await aFreeOne();
    await query(database, `update deposit set gone_at = now() where id = $1`, [id]);
    expect(await suspense.bookFinal()).toBe(0);
    await query(database, `update deposit set gone_at = null where id = $1`, [id]);
    expect(await suspense.bookFinal()).toBe(1);
  });

  it('are found without reading those that are booked', async () => {
    const { chainRef } = polygon;
    await db.owner.transaction((tx) => manyBookedDeposits(tx, { chainRef, address, heldAs: 'suspense' }));
    await aFreeOne();
    await query(db.owner, `analyze deposit`);
    const { text, values } = compiled(nextUnbooked('', 500));
    const { scans, pages } = await readByGenericPlan(database, text, values);
    expect(scans).toContain('Index Only Scan on deposit by deposit_unbooked');
    expect(pages).toBeLessThan(30);
  });
});

describe('the database refuses', () => {
  beforeEach(async () => {
    await aFreeOne();
    await suspense.bookFinal();
  });

  it.each<[what: string, statement: string, answer: string]>([
    [
      'to book one as if it were in no account',
      `update deposit set credited_at = now()`,
      'is not to be held as nothing',
    ],
    [
      'to book one as frozen without a listing',
      `update deposit set credited_at = now(), held_as = 'frozen'`,
      'held as frozen',
    ],
  ])('%s', async (_what, statement, answer) => {
    const id = await aFreeOne();
    expect(await sqlRefusalOf(database, `${statement} where id = $1`, [id])).toContain(answer);
  });

  it.each<[what: string, change: string, answer: string]>([
    ['to hold it another way', `held_as = 'kept'`, 'goes no such way: from suspense to kept'],
    ['a listing after the verdict', `listed_sender_id = 1`, 'is final'],
    ['to reverse what no node missed', `reversed_at = now(), held_as = null`, 'the chain says otherwise'],
    ['to reverse one that still has a holding', `reversed_at = now(), gone_at = now()`, 'deposit_reversed_check'],
  ])('%s', async (_what, change, answer) => {
    expect(await sqlRefusalOf(database, `update deposit set ${change}`)).toContain(answer);
  });

  it('to hold it again once it was given away', async () => {
    await query(database, `update deposit set held_as = null`);
    expect(await sqlRefusalOf(database, `update deposit set held_as = 'suspense'`)).toContain(
      'from nothing to suspense',
    );
  });

  it('to give out more than is in suspense [H-102]', async () => {
    const [account] = await query<{ id: string; asset: `polygon:${string}` }>(
      database,
      `select id, asset from account where kind = 'suspense'`,
    );
    const [outside] = await query<{ id: string }>(database, `select id from account where kind = 'chain'`);
    const asset = account?.asset ?? 'polygon:';
    const booked = database.transaction((tx) =>
      new LedgerService().book(tx, {
        reference: 'too much',
        kind: 'resolution',
        environment: 'sandbox',
        legs: [
          { accountId: Number(account?.id), asset, amount: -8n },
          { accountId: Number(outside?.id), asset, amount: 8n },
        ],
      }),
    );
    await expect(booked).rejects.toThrow('account_balance_check');
  });
});
