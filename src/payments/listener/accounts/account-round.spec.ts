import { freshDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { aChain, freeAddresses } from '../../../../test/support/factories.js';
import { readByPlan } from '../../../../test/support/query-plan.js';
import { query } from '../../../../test/support/sql.js';
import { compiled } from '../../../platform/sql/sql.js';
import { AccountRound } from './account-round.js';
import { accountsOfRound } from './watched-accounts.sql.js';

const POOL = { environment: 'sandbox', family: 'solana' } as const;

let db: TestDatabase;
let chainRef: string;
/** The ids of the addresses, the newest first. */
let ids: readonly string[];
beforeEach(async () => {
  db = await freshDatabase();
  ({ chainRef } = await aChain(db.database, { network: 'solana' }));
  const addresses = await freeAddresses(db.database, 5, 'sandbox', undefined, 'solana');
  await freeAddresses(db.database, 1, 'live', undefined, 'solana');
  const rows = await query<{ id: string }>(
    db.database,
    `insert into watched_account (chain_ref, account, address_id, token_contract)
     select $1, address || token, id, token from pool_address cross join unnest(array['native', 'mint']) token
      where address = any($2::text[]) returning address_id as id`,
    [chainRef, addresses],
  );
  ids = [...new Set(rows.map(({ id }) => id))].toSorted((one, other) => Number(other) - Number(one));
});
afterEach(() => db.drop());

const round = () => new AccountRound(db.database, chainRef, POOL);
const another = (addressId: string | undefined) =>
  query(
    db.database,
    `insert into watched_account (chain_ref, account, address_id, token_contract) values ($1, $2, $3, 'new')`,
    [chainRef, `of ${addressId}`, addressId ?? ''],
  );
const tokensOf = async (of: AccountRound, below: string | null, limit = 2) =>
  (await of.next(below, limit)).accounts.map(({ addressId, token }) => `${addressId} ${token}`).toSorted();
const expected = (...of: readonly (string | undefined)[]) =>
  of.flatMap((id) => [`${id} mint`, `${id} native`]).toSorted();

it('goes over all addresses of the pool, the newest first, with all of their accounts', async () => {
  const all = round();
  const first = await all.next(null, 2);
  expect(first.accounts.find(({ token, addressId }) => token === 'mint' && addressId === ids[0])).toEqual({
    account: expect.stringMatching(/mint$/),
    token: 'mint',
    addressId: ids[0],
    hasSweeps: false,
  });
  expect(first.below).toBe(ids[1]);
  expect(await tokensOf(all, first.below)).toEqual(expected(ids[2], ids[3]));
  const last = await all.next(ids[3] ?? '', 2);
  expect(last.below).toBeNull();
  expect(last.accounts).toHaveLength(2);
  expect(await tokensOf(all, null)).toEqual(expected(ids[0], ids[1]));
});

it('has read the next step before that is asked for, and no other one', async () => {
  const all = round();
  expect(await tokensOf(all, null)).toEqual(expected(ids[0], ids[1]));
  await all.settle();
  await another(ids[2]);
  expect(await tokensOf(all, ids[1] ?? '')).toEqual(expected(ids[2], ids[3]));
  await all.settle();
  await another(ids[4]);
  // Another place, or another size, is read again.
  expect(await tokensOf(all, ids[1] ?? '')).toContain(`${ids[2]} new`);
  await all.settle();
  expect(await tokensOf(all, ids[3] ?? '', 3)).toContain(`${ids[4]} new`);
});

it('shows the next step before that is asked for, until there is none', async () => {
  const all = round();
  expect(await all.following()).toBeNull();
  const { below } = await all.next(null, 3);
  const ahead = await all.following();
  expect(ahead?.accounts).toHaveLength(4);
  expect(await all.next(below, 3)).toBe(ahead);
  expect(await all.following()).toBeNull();
});

it('has read the step after the next one too, once the next one was shown', async () => {
  const all = round();
  await all.next(null, 2);
  await all.following();
  await all.settle();
  await another(ids[4]);
  expect(await tokensOf(all, ids[1] ?? '')).toEqual(expected(ids[2], ids[3]));
  expect(await tokensOf(all, ids[3] ?? '')).toEqual(expected(ids[4]));
});

it('says which accounts are of an address with sweeps', async () => {
  await db.owner.transaction(async (tx) => {
    // An item without its sweep and its balance.
    await query(tx, `set local session_replication_role = replica`);
    for (const [position, token] of ['native', 'mint'].entries())
      await query(
        tx,
        `insert into sweep_item
           (sweep_id, position, chain_ref, token_contract, address_id, expected, opens_account, closes_account)
         values ('swp_1', $1, $2, $3, $4, 1, false, false)`,
        [position, chainRef, token, ids[1] ?? ''],
      );
  });
  const { accounts } = await round().next(null, 3);
  const swept = accounts.filter(({ hasSweeps }) => hasSweeps);
  expect(swept.map(({ addressId, token }) => `${addressId} ${token}`).toSorted()).toEqual(expected(ids[1]));
});

it('is empty without addresses', async () => {
  const none = new AccountRound(db.database, chainRef, { environment: 'live', family: 'tron' });
  expect(await none.next(null, 2)).toEqual({ accounts: [], below: null });
});

it('reads the accounts of a step as one range of the index, however many a chain has', async () => {
  const addresses = 3_000;
  await query(
    db.owner,
    `with address as (
       insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
       select 'sandbox', 'solana', 1000 + n, 'path' || n, 'address' || n, 'address' || n from generate_series(1, $2::int) n
       returning id, address_key)
     insert into watched_account (chain_ref, account, address_id, token_contract)
     select $1, address_key || token, id, token from address cross join generate_series(1, 3) as token`,
    [chainRef, addresses],
  );
  await query(db.owner, 'analyze pool_address, watched_account');
  const inStep = addresses / 5;
  const { text, values } = compiled(accountsOfRound(chainRef, POOL, { below: null, limit: inStep }));
  for (const mode of ['custom', 'generic'] as const) {
    const { scans, pages } = await readByPlan(mode, db.database, text, values);
    expect(scans).toContain('Index Scan on watched_account by watched_account_address');
    // One page for each account at most, and those of the index. A search for each address reads several more each.
    expect(pages).toBeLessThan(inStep * 4);
  }
});
