import fc from 'fast-check';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aMerchant } from '../../test/support/factories.js';
import { sqlRefusalOf } from '../../test/support/sql-refusal.js';
import { query } from '../../test/support/sql.js';
import { newId } from '../domain/ids.js';
import type { SqlParameter } from '../platform/sql/sql.js';

// The database alone: raw SQL without a service, as a role that only the guards restrict.

let db: TestDatabase;
let USDC: string;
let DAI: string;
let pocket: number;
let chain: number;
let daiPocket: number;
let livePocket: number;

type Leg = readonly [account: number, amount: bigint, asset?: string, environment?: string];

async function openAccount(kind: string, asset: string, environment: string, merchantId: string | null) {
  const [row] = await query<{ id: string }>(
    db.owner,
    `insert into account (kind, environment, asset, merchant_id, balance)
     values ($1, $2, $3, $4, case when $4::text is null then null else 0 end) returning id`,
    [kind, environment, asset, merchantId],
  );
  return Number(row?.id);
}

/** Books one entry with these legs in one transaction. */
async function book(...legs: Leg[]): Promise<void> {
  const entry = newId('ent_');
  await db.owner.transaction(async (tx) => {
    await query(tx, `insert into entry (id, reference, kind, content_hash) values ($1, $1, 'deposit', '')`, [entry]);
    for (const [account, amount, asset = USDC, environment = 'sandbox'] of legs) {
      await query(
        tx,
        `insert into posting (entry_id, account_id, asset, environment, amount) values ($1, $2, $3, $4, $5)`,
        [entry, account, asset, environment, amount.toString()],
      );
    }
  });
}

async function balanceOf(account: number): Promise<bigint> {
  const [row] = await db.query<{ balance: string }>(`select balance from account where id = $1`, [account]);
  return BigInt(row?.balance ?? 0);
}

/** Counts the postings on the USDC accounts of this test. */
async function countPostings(): Promise<number> {
  const [row] = await db.query<{ count: string }>(`select count(*) from posting where asset = $1`, [USDC]);
  return Number(row?.count);
}

beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

beforeEach(async () => {
  [USDC, DAI] = [`polygon:${newId('ord_')}`, `polygon:${newId('ord_')}`];
  const { merchantId } = await aMerchant(db.database);
  pocket = await openAccount('pocket_available', USDC, 'sandbox', merchantId);
  chain = await openAccount('chain', USDC, 'sandbox', null);
  daiPocket = await openAccount('pocket_available', DAI, 'sandbox', merchantId);
  livePocket = await openAccount('pocket_available', USDC, 'live', merchantId);
});

describe('the database books', () => {
  it('a balanced entry, and moves the cached balance with it [H-102]', async () => {
    await book([chain, -1000n], [pocket, 1000n]);
    expect(await balanceOf(pocket)).toBe(1000n);
  });

  it('the largest amounts of any chain, exactly [H-105]', async () => {
    const most = 2n ** 256n - 1n;
    await book([chain, -most], [pocket, most]);
    expect(await balanceOf(pocket)).toBe(most);
  });
});

describe('the database refuses', () => {
  it('an entry whose legs do not sum to zero, and keeps nothing of it [H-100]', async () => {
    await expect(book([chain, -1000n], [pocket, 999n])).rejects.toThrow('does not balance');
    expect([await countPostings(), await balanceOf(pocket)]).toEqual([0, 0n]);
  });

  it('an entry with one leg, or with none [H-100]', async () => {
    await expect(book([pocket, 1n])).rejects.toThrow('does not balance');
    await expect(book()).rejects.toThrow('does not balance');
  });

  it('an entry that balances over two assets but not in each [H-100] [H-103]', async () => {
    await expect(book([chain, -1000n], [daiPocket, 1000n, DAI])).rejects.toThrow('does not balance');
  });

  it('a posting that is added to an entry of an earlier transaction and leaves it unbalanced [H-100]', async () => {
    await book([chain, -1000n], [pocket, 1000n]);
    const [entry] = await query<{ id: string }>(db.owner, `select entry_id as id from posting where account_id = $1`, [
      pocket,
    ]);
    const { merchantId } = await aMerchant(db.database);
    const other = await openAccount('pocket_available', USDC, 'sandbox', merchantId);
    const add = `insert into posting (entry_id, account_id, asset, environment, amount)
                 values ($1, $2, $3, 'sandbox', 1000)`;
    expect(await sqlRefusalOf(db.owner, add, [entry?.id ?? '', other, USDC])).toContain('does not balance');
    expect([await countPostings(), await balanceOf(other)]).toEqual([2, 0n]);
  });

  it('a leg in another asset than its account [H-103]', async () => {
    await expect(book([chain, -1000n], [daiPocket, 1000n, USDC])).rejects.toThrow('foreign key');
  });

  it('a leg in another environment than its account', async () => {
    await expect(book([chain, -1000n], [livePocket, 1000n])).rejects.toThrow('foreign key');
  });

  it('a leg that moves nothing, and two legs on one account', async () => {
    await expect(book([chain, 0n], [pocket, 0n])).rejects.toThrow('posting_amount_check');
    await expect(book([pocket, 5n], [pocket, -5n])).rejects.toThrow('posting_entry_id_account_id_key');
  });

  it('an overdraft of a pocket [H-102]', async () => {
    await book([chain, -1000n], [pocket, 1000n]);
    await expect(book([chain, 1001n], [pocket, -1001n])).rejects.toThrow('account_balance_check');
    expect(await balanceOf(pocket)).toBe(1000n);
  });

  it.each([
    'update entry set kind = kind',
    'update posting set amount = amount',
    'delete from posting',
    'delete from entry',
    'truncate posting',
    'truncate entry cascade',
  ])('%s [H-101]', async (statement) => {
    await book([chain, -1000n], [pocket, 1000n]);
    expect(await sqlRefusalOf(db.owner, statement)).toContain('append-only');
    expect(await countPostings()).toBe(2);
  });

  it.each([
    `update account set balance = balance + 1 where balance is not null`,
    `update account set environment = 'live' where kind = 'chain'`,
    `delete from account`,
    `insert into account (kind, environment, asset, merchant_id, balance)
     select 'pocket_held', 'sandbox', 'polygon:0xusdc', id, 5 from merchant`,
  ])('an account that moves without a posting: %s [H-102]', async (statement) => {
    expect(await sqlRefusalOf(db.owner, statement)).toContain('changes by postings only');
  });
});

describe('after random statements', () => {
  it('each balance is the sum of its postings, and each asset sums to zero [H-100] [H-102]', async () => {
    const accounts: Leg[] = [
      [pocket, 0n],
      [daiPocket, 0n, DAI],
      [livePocket, 0n, USDC, 'live'],
    ];
    const leg = fc.record({ account: fc.constantFrom(0, 0, 0, 1, 2), amount: fc.bigInt({ min: -20n, max: 50n }) });
    await fc.assert(
      fc.asyncProperty(fc.array(leg, { minLength: 1, maxLength: 2 }), fc.boolean(), async (legs, balanced) => {
        const others = legs.map(({ account, amount }): Leg => {
          const [id, , asset, environment] = accounts[account] ?? [pocket];
          return [id, amount, asset, environment];
        });
        const sum = legs.reduce((total, { amount }) => total + amount, 0n);
        await book(...others, ...(balanced ? [[chain, -sum] as const] : [])).catch(() => undefined);
        expect(await violations()).toEqual([]);
      }),
      { numRuns: 80 },
    );
    expect(await countPostings()).toBeGreaterThan(0);
  });
});

async function violations(): Promise<SqlParameter[]> {
  return db.query(`select account.id::text as broken from account left join posting on posting.account_id = account.id
      where balance is not null group by account.id having coalesce(sum(amount), 0) <> balance
     union all
     select entry_id from posting group by entry_id, asset having sum(amount) <> 0`);
}
