import { MikroORM } from '@mikro-orm/postgresql';
import { ENTITIES } from '../../src/app/entities.js';
import { Database } from '../../src/platform/database/database.js';
import { ormOptions } from '../../src/platform/database/orm.config.js';
import type { SqlParameter } from '../../src/platform/sql/sql.js';
import { createDatabase, migratedTemplate } from './database-url.js';
import { query } from './sql.js';

/** Enough for the largest race a spec starts; a race on fewer connections would be a queue. */
const POOL_MAX = 24;

/** A separate migrated, empty database for one spec. */
export interface TestDatabase {
  /** For the role of the service. */
  readonly url: string;
  readonly ownerUrl: string;
  readonly orm: MikroORM;
  /** With the rights of the service. */
  readonly database: Database;
  /** With the rights of the owner, who can disable the triggers. */
  readonly owner: Database;
  /** Runs a statement on the pool of the service. */
  query<Row>(text: string, parameters?: readonly SqlParameter[]): Promise<Row[]>;
  /** Closes the connections and drops the database. */
  drop(): Promise<void>;
}

/** Copies the migrated database of the run: about 50 ms, whatever the migrations do. */
export async function freshDatabase(): Promise<TestDatabase> {
  const { url, ownerUrl, drop } = await createDatabase(migratedTemplate());
  const orm = await MikroORM.init(ormOptions({ url, poolMax: POOL_MAX, entities: ENTITIES, migrations: [] }));
  const [database, owner] = [new Database(orm), ownersDatabase(ownerUrl)];
  return testDatabase({
    url,
    ownerUrl,
    orm,
    database,
    owner,
    drop: async () => {
      // Within a time limit, unlike the ORM's own: see `Database.close`.
      await Promise.all([database.close(), owner.close()]);
      await drop();
    },
  });
}

/** Adds the statements of tests to a database. */
export const testDatabase = (opened: Omit<TestDatabase, 'query'>): TestDatabase => ({
  ...opened,
  query: (text, parameters) => query(opened.database, text, parameters),
});

/**
 * The database with the rights of its owner, without entities. Connections are opened when they are used. A set-up that writes
 * thousands of rows on a busy machine takes longer than the service gives a statement, so there is no limit.
 */
export const ownersDatabase = (url: string): Database =>
  new Database(
    new MikroORM({
      ...ormOptions({ url, poolMax: 4, entities: [], migrations: [], use: 'audit' }),
      discovery: { warnWhenNoEntities: false },
    }),
  );
