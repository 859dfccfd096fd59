import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, freeAddresses } from '../../test/support/factories.js';
import { Metrics } from '../platform/metrics.js';
import { DepositsWithoutPocket } from './deposits-without-pocket.service.js';
import { SuspenseWatch } from './suspense-watch.service.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

it('counts the balances that no transaction has explained for a minute, until they are explained', async () => {
  const { chainRef } = await aChain(db.database, { network: 'solana' });
  const metrics = new Metrics();
  const counted = async (): Promise<string[]> => {
    await new SuspenseWatch(db.database, new DepositsWithoutPocket(db.database), metrics).measure();
    const lines = (await metrics.registry.metrics()).split('\n');
    return lines.filter((line) => line.startsWith('coffer_balances_unexplained'));
  };
  const [address = ''] = await freeAddresses(db.database, 1, 'sandbox', undefined, 'solana');
  await db.query(
    `insert into watched_account (chain_ref, account, address_id, token_contract)
     select $1, account, id, account from pool_address, unnest(array['a', 'b', 'c']) account where address = $2`,
    [chainRef, address],
  );
  await db.query(
    `insert into unexplained_balance (chain_ref, account, units, since)
     values ($1, 'a', 1, now() - interval '61 seconds'), ($1, 'b', 1, now() - interval '2 hours'), ($1, 'c', 1, now())`,
    [chainRef],
  );
  expect(await counted()).toEqual([`coffer_balances_unexplained{chain="${chainRef}"} 2`]);
  await db.query(`delete from unexplained_balance where account <> 'c'`);
  expect(await counted()).toEqual([]);
});
