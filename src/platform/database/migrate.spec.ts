import { Migration } from '@mikro-orm/migrations';
import { freshDatabase, type FreshDatabase } from '../../../test/support/database-url.js';
import { ENTITIES } from '../../app/entities.js';
import { withClient } from './migrate.js';
import { migrate } from '../../../test/support/migrate.js';

class First extends Migration {
  override name = '01-first';
  override up(): void {
    this.addSql('create table first (id int)');
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
