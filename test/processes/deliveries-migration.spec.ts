import { MikroORM } from '@mikro-orm/postgresql';
import { MIGRATIONS } from '../../migrations/list.js';
import { ENTITIES } from '../../src/app/entities.js';
import { Database } from '../../src/platform/database/database.js';
import { migrate, migrationsBefore } from '../support/migrate.js';
import { ormOptions } from '../../src/platform/database/orm.config.js';
import { freshDatabase } from '../support/database-url.js';
import { query } from '../support/sql.js';

const BEFORE = migrationsBefore('delivery-lists');

/** How the previous version creates a delivery, and how its replay begins a series. */
const OWE = `insert into delivery (id, event_id, endpoint_id, status) values ($1, $2, 'we_1', 'pending')`;
const REPLAY = `insert into delivery (id, event_id, endpoint_id, series, status) values ($1, $2, 'we_1', $3, 'pending')`;

it('deliveries get their merchant, both old ones and those that the previous version inserts during the update [K-151]', async () => {
  const { url, drop } = await freshDatabase();
  await migrate(url, ENTITIES, BEFORE);
  const orm = await MikroORM.init(ormOptions({ url, poolMax: 2, entities: ENTITIES, migrations: [] }));
  const database = new Database(orm);
  await query(database, `insert into merchant (id, name) values ('mer_1', 'Merchant')`);
  await query(
    database,
    `insert into webhook_endpoint (id, merchant_id, environment, url, event_types, secret, created_at, updated_at)
     values ('we_1', 'mer_1', 'live', 'https://example.com/', '{*}', 's', now(), now())`,
  );
  await query(
    database,
    `insert into event (id, merchant_id, environment, type, resource_id, data)
     select 'evt_' || n, 'mer_1', 'live', 'ping', 'we_1', '{}' from generate_series(1, 3) n`,
  );
  await query(database, OWE, ['dlv_old', 'evt_1']);
  await query(database, OWE, ['dlv_replayed', 'evt_2']);
  await query(database, REPLAY, ['dlv_replay', 'evt_2', 2]);

  await migrate(url, ENTITIES, MIGRATIONS);
  await query(database, OWE, ['dlv_late', 'evt_3']);
  await query(database, REPLAY, ['dlv_late_replay', 'evt_3', 2]);
  await query(database, REPLAY, ['dlv_replay_again', 'evt_2', 3]);
  const rows = await query<{ id: string; superseded: boolean; tenant: string }>(
    database,
    `select id, superseded, merchant_id || ' ' || environment as tenant from delivery`,
  );
  expect(new Set(rows.map(({ tenant }) => tenant))).toEqual(new Set(['mer_1 live']));
  expect(
    rows
      .filter(({ superseded }) => superseded)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(['dlv_late', 'dlv_replay', 'dlv_replayed']);
  await orm.close(true);
  await drop();
});
