import { MikroORM } from '@mikro-orm/postgresql';
import { ENTITIES } from '../../src/entities.js';
import { Database } from '../../src/platform/database/database.js';
import { ormOptions } from '../../src/platform/database/orm.config.js';
import { createDatabase, migratedTemplate } from './database-url.js';

/** Enough for the largest race a spec starts; a race on fewer connections would be a queue. */
const POOL_MAX = 24;

/** A migrated, empty database of its own for one spec. */
export interface TestDatabase {
  readonly url: string;
  readonly orm: MikroORM;
  readonly database: Database;
  /** Closes the connections and removes the database. */
  drop(): Promise<void>;
}

/** Copies the migrated database of the run: about 50 ms, whatever the migrations do. */
export async function freshDatabase(): Promise<TestDatabase> {
  const { url, drop } = await createDatabase(migratedTemplate());
  const orm = await MikroORM.init(ormOptions({ url, poolMax: POOL_MAX, entities: ENTITIES, migrations: [] }));
  return {
    url,
    orm,
    database: new Database(orm),
    drop: async () => {
      await orm.close(true);
      await drop();
    },
  };
}
