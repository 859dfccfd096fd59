import { MikroORM } from '@mikro-orm/postgresql';
import { MIGRATIONS } from '../../migrations/list.js';
import { ENTITIES } from '../../src/app/entities.js';
import { Database } from '../../src/platform/database/database.js';
import { migrate, migrationsBefore } from '../support/migrate.js';
import { ormOptions } from '../../src/platform/database/orm.config.js';
import { SweepOperations } from '../../src/treasury/sweeps/sweep-operations.service.js';
import { freshDatabase } from '../support/database-url.js';
import { eventually } from '../support/eventually.js';
import { aChain, aDeposit, aMerchant, anIntent } from '../support/factories.js';
import { query } from '../support/sql.js';

const BEFORE = migrationsBefore('sweeps');

it('deposits that become final while the migration sums up balances are counted too [K-151]', async () => {
  const { url, drop } = await freshDatabase();
  await migrate(url, ENTITIES, BEFORE);
  const orm = await MikroORM.init(ormOptions({ url, poolMax: 4, entities: ENTITIES, migrations: [] }));
  const database = new Database(orm);
  const intent = await anIntent(database, { tenant: await aMerchant(database), chain: await aChain(database) });
  await aDeposit(database, intent, { amount: 5n, status: 'confirmed' });
  const late = await aDeposit(database, intent, { amount: 7n });

  // A listener of the previous version has made it final but not committed yet.
  const waits = () =>
    query(
      database,
      `select from pg_locks where not granted and relation = 'deposit'::regclass and database =
      (select oid from pg_database where datname = current_database())`,
    );
  const migrating = await database.transaction(async (tx) => {
    await query(tx, `update deposit set status = 'confirmed', confirmed_at = now() where id = $1`, [late]);
    const under = migrate(url, ENTITIES, MIGRATIONS);
    await eventually(
      async () => (await waits()).length,
      (seen) => seen > 0,
    );
    return { under };
  });
  await migrating.under;
  await aDeposit(database, intent, { amount: 11n, status: 'confirmed' });
  expect(await query(database, `select received from deposit_balance`)).toEqual([{ received: '23' }]);
  expect(await new SweepOperations(database).miscounted()).toBe(0);

  await query(database, `update deposit_balance set received = received + 1`);
  expect(await new SweepOperations(database).miscounted()).toBe(1);
  await orm.close(true);
  await drop();
});
