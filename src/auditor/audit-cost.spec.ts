import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain } from '../../test/support/factories.js';
import { aHotWallet } from '../../test/support/outgoing.js';
import { readByGenericPlan } from '../../test/support/query-plan.js';
import { query } from '../../test/support/sql.js';
import { as } from '../platform/sql/as.js';
import { compiled, sql as typed, type SqlText } from '../platform/sql/sql.js';
import { statementCheck } from './check.js';
import { nextSeals } from './checks/seal-check.sql.js';
import { nextAttempts } from './checks/signed-payments.sql.js';
import { inSnapshot } from './snapshot.js';

const ROWS = 20_000;

let db: TestDatabase;

/** Large books whose rows contradict every rule. */
beforeAll(async () => {
  db = await freshDatabase();
  const { chainRef } = await aChain(db.database);
  await aHotWallet(db.database, chainRef);
  await db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    const fill = (statement: string, ...more: string[]): Promise<unknown> => query(tx, statement, [ROWS, ...more]);
    await fill(`insert into entry (id, reference, kind, content_hash)
      select 'ent_' || lpad(n::text, 8, '0'), 'deposit:' || n, 'deposit', '' from generate_series(1, $1::int) n`);
    await query(tx, `insert into account (kind, environment, asset) values ('chain', 'sandbox', 'polygon:native')`);
    await query(
      tx,
      `insert into posting (entry_id, account_id, asset, environment, amount)
      select entry.id, account.id, account.asset, 'sandbox', 5 from entry cross join account`,
    );
    await query(
      tx,
      `insert into ledger_seal (sequence, entry_id, content_hash, hash)
      select row_number() over (order by id), id, '', id from entry`,
    );
    await fill(
      `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data, gas_limit,
         token_contract, amount, status)
       select 'ctx_' || lpad(n::text, 8, '0'), $2, case n % 3 when 0 then 'sweep' when 1 then 'deposit_return' else 'withdrawal' end,
              'for_' || n, '0xab', n, '0xcd', 0, '0x', 1, '0xa1', case n % 3 when 0 then 0 else 5 end, 'signed' from generate_series(1, $1::int) n`,
      chainRef,
    );
    await query(
      tx,
      `insert into transaction_attempt (transaction_id, number, tx_hash, raw_transaction, max_fee_per_gas,
        max_priority_fee_per_gas) select id, 1, id, '0x', 5, 1 from chain_transaction`,
    );
    await fill(
      `insert into sweep (id, chain_ref, reason, delegate, batch)
       select 'for_' || n, $2, 'threshold', '0x', '0x' from generate_series(3, $1::int, 3) n`,
      chainRef,
    );
    await fill(
      `insert into deposit (id, chain_ref, tx_hash, position, block_height, block_hash, block_time, token_contract,
         from_address, to_address, address_id, amount, status, confirmed_at, unattributed_reason)
       select 'dep_' || n, $2, 't' || n, 0, n, 'b', now(), '0xa1', '0xf', 'a', n, 5, 'confirmed', now(), 'address_not_assigned'
         from generate_series(1, $1::int) n`,
      chainRef,
    );
    await fill(`insert into deposit_return (id, deposit_id, destination, destination_key, status)
      select 'for_' || n, 'dep_' || n, '0xd', '0xd', 'broadcasting' from generate_series(1, $1::int, 3) n`);
  });
  await query(db.owner, `analyze`);
});
afterAll(() => db.drop());

it.each<[what: string, statement: SqlText, pages: number]>([
  ['seals', nextSeals(ROWS / 2, 100), 700],
  ['signed versions', nextAttempts([`ctx_${String(ROWS / 2).padStart(8, '0')}`, 1], 100), 700],
])('a page of %s costs the same in any table size: each row is read by an index', async (_what, statement, most) => {
  const { text, values } = compiled(statement);
  const { pages, scans } = await readByGenericPlan(db.database, text, values);
  // Empty tables may be scanned.
  expect(
    scans.filter((scan) => /^Seq Scan on (ledger|entry|posting|chain_tr|transaction|sweep$|deposit)/.test(scan)),
  ).toEqual([]);
  expect(pages).toBeLessThan(most);
});

const NESTED = `select current_setting('enable_nestloop') as loops`;

it('whole tables are compared without nested loops, and pages are read with them', async () => {
  let during: unknown;
  const spy = statementCheck(
    'spy',
    'Nested loops are off.',
    typed`select 'setting 1' ${as.text('row')}, current_setting('enable_nestloop') ${as.text('says')}`,
  );
  const after = await inSnapshot(db.url, async (tx) => {
    const before = await query(tx, NESTED);
    during = await spy.find(tx);
    return [...before, ...(await query(tx, NESTED))];
  });
  expect(during).toMatchObject({ named: [{ says: 'off' }] });
  expect(after).toEqual([{ loops: 'on' }, { loops: 'on' }]);
});
