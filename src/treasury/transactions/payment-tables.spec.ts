import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, freeAddresses } from '../../../test/support/factories.js';
import { readTypedByGenericPlan } from '../../../test/support/query-plan.js';
import { query } from '../../../test/support/sql.js';
import { manyBookedDeposits } from '../../../test/support/unattributed-deposits.js';
import { sql as typed } from '../../platform/sql/sql.js';
import { payment, unsignedPayments } from './payment-tables.sql.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

it('unsigned payments are found without reading the deposits or earlier payments', async () => {
  const { database } = db;
  const { chainRef } = await aChain(database);
  const [address = ''] = await freeAddresses(database, 1);
  await db.owner.transaction(async (tx) => {
    await manyBookedDeposits(tx, { chainRef, address, heldAs: 'returning' });
    await query(
      tx,
      `insert into deposit_return (id, deposit_id, destination, destination_key, status, waiting_reason, failure_code, ended_at)
       select 'ret_' || n, 'dep_' || n, '0x', '0x', case when n > 4990 then 'broadcasting' else 'failed' end,
              'coins_missing', case when n > 4990 then null else 'cancelled' end, case when n > 4990 then null else now() end
         from generate_series(1, 5000) n`,
    );
  });
  const statement = typed`
    select ${payment.chainRef}, sum(${payment.amount}) from ${unsignedPayments} group by ${payment.chainRef} limit ${10}`;
  // Before anybody has counted the rows, and after.
  for (const when of ['fresh', 'counted']) {
    if (when === 'counted') await query(db.owner, `analyze deposit, deposit_return`);
    const { scans, pages } = await readTypedByGenericPlan(database, statement);
    expect(scans).toContain('Index Scan on deposit by deposit_pkey');
    expect(pages).toBeLessThan(60);
  }
});
