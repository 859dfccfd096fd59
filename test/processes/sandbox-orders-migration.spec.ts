import { MikroORM } from '@mikro-orm/postgresql';
import { MIGRATIONS } from '../../migrations/list.js';
import { ENTITIES } from '../../src/app/entities.js';
import { Database } from '../../src/platform/database/database.js';
import { migrate, migrationsBefore } from '../support/migrate.js';
import { ormOptions } from '../../src/platform/database/orm.config.js';
import { freshDatabase } from '../support/database-url.js';
import { aChain, aDeposit, aMerchant, anIntent } from '../support/factories.js';
import { query } from '../support/sql.js';

const BEFORE = migrationsBefore('gone-chains');

it('sandbox orders that were sent before they were followed end as their payments did; one not yet final is followed', async () => {
  const { url, drop } = await freshDatabase();
  await migrate(url, ENTITIES, BEFORE);
  const orm = await MikroORM.init(ormOptions({ url, poolMax: 2, entities: ENTITIES, migrations: [] }));
  const database = new Database(orm);
  const intent = await anIntent(database, {
    tenant: await aMerchant(database),
    chain: await aChain(database),
    status: 'expired',
  });
  for (const status of ['confirmed', 'seen', 'orphaned'] as const) {
    const txHash = `0x${status}`;
    await aDeposit(database, intent, { status, txHash });
    await query(
      database,
      `insert into sandbox_payment (id, intent_id, chain_ref, token_contract, to_address, amount, status, tx_hash)
       values ($1, $2, $3, $4, $5, 1, 'sent', $6)`,
      [status, intent.id, intent.chain.chainRef, intent.chain.contract, intent.address, txHash],
    );
  }
  await migrate(url, ENTITIES, MIGRATIONS);
  expect(await query(database, `select id, status, failure from sandbox_payment order by id`)).toEqual([
    { id: 'confirmed', status: 'final', failure: null },
    { id: 'orphaned', status: 'failed', failure: 'The payment did not become final.' },
    { id: 'seen', status: 'sent', failure: null },
  ]);
  await orm.close(true);
  await drop();
});
