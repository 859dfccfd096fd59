import { MikroORM } from '@mikro-orm/postgresql';
import { ENTITIES } from '../../src/app/entities.js';
import { Database } from '../../src/platform/database/database.js';
import { ormOptions } from '../../src/platform/database/orm.config.js';

/** Runs the work on a pool of so many connections to a database, and closes it. */
export async function withPoolOf<Result>(
  connections: number,
  url: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const orm = await MikroORM.init(ormOptions({ url, poolMax: connections, entities: ENTITIES, migrations: [] }));
  try {
    return await work(new Database(orm));
  } finally {
    await orm.close(true);
  }
}
