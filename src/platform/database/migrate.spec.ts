import { Migration } from '@mikro-orm/migrations';
import type { Client } from 'pg';
import { freshDatabase, type FreshDatabase } from '../../../test/support/database-url.js';
import { ENTITIES } from '../../app/entities.js';
import { eventually } from '../../../test/support/eventually.js';
import { migrate } from '../../../test/support/migrate.js';
import { applyMigrations, underMigrationLock, withClient } from './migrate.js';

class First extends Migration {
  override name = '01-first';
  override up(): void {
    this.addSql('create table first (id int)');
  }
}
class Altering extends Migration {
  override name = '02-altering';
  override up(): void {
    this.addSql('alter table first add column word text');
  }
}
class Failing extends Migration {
  override name = '02-failing';
  override up(): void {
    this.addSql('create table half (id int)');
    this.addSql('insert into missing values (1)');
  }
}
class Mended extends Failing {
  override up(): void {
    this.addSql('create table half (id int)');
  }
}

const first = { name: '01-first', class: First };

let db: FreshDatabase;
beforeEach(async () => {
  db = await freshDatabase();
});
afterEach(() => db.drop());

const tables = (): Promise<string[]> =>
  withClient(db.url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by name`,
    );
    return rows.map(({ name }) => name);
  });

it('a migration that fails leaves nothing behind, and those before it stay applied', async () => {
  const failing = migrate(db.url, ENTITIES, [first, { name: '02-failing', class: Failing }]);
  await expect(failing).rejects.toThrow(/missing/);
  expect(await tables()).toEqual(['first', 'schema_migration']);
  expect(await migrate(db.url, ENTITIES, [first, { name: '02-failing', class: Mended }])).toEqual(['02-failing']);
  expect(await tables()).toEqual(['first', 'half', 'schema_migration']);
});

describe('a table that another session reads', () => {
  const ALTERING = [first, { name: '02-altering', class: Altering }];

  /** Runs `work` while a transaction holds the table, as a backup does. */
  const whileRead = (work: (release: () => Promise<unknown>) => Promise<void>): Promise<void> =>
    withClient(db.url, async (client) => {
      await client.query('begin');
      await client.query('select * from first');
      await work(() => client.query('commit'));
    });

  beforeEach(() => migrate(db.url, ENTITIES, [first]));

  it('stays readable while a migration waits for it, which is applied once the other session has ended', () =>
    whileRead(async (release) => {
      const migrated = migrate(db.url, ENTITIES, ALTERING);
      await eventually(() => withClient(db.url, isLockAwaited));
      // Behind a migration without a limit, this would wait until the release.
      await withClient(db.url, (client) => client.query('select * from first'));
      await release();
      expect(await migrated).toEqual(['02-altering']);
    }));

  it('leads to an error that says so, after the last try', () =>
    whileRead(async () => {
      const migrated = underMigrationLock(db.url, () => applyMigrations(db.url, ENTITIES, ALTERING, 2));
      await expect(migrated).rejects.toThrow('another session uses it, such as a backup');
    }));
});

async function isLockAwaited(client: Client): Promise<boolean> {
  const waiting = await client.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.rows.length > 0;
}
