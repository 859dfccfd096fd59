import type { MigrationObject } from '@mikro-orm/core';
import { type EntityClass, MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { ormOptions } from './orm.config.js';

/** Any number of processes may start at once; one migrates, the others wait for it. */
const LOCK = `hashtextextended('coffer:migrations', 0)`;

/**
 * Brings the schema up to date on connections of its own, which know no statement time limit, and under a lock that
 * ends with its connection. Returns the names of the migrations that were applied.
 */
export async function migrate(
  url: string,
  entities: readonly EntityClass<object>[],
  migrations: MigrationObject[],
): Promise<string[]> {
  const lock = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await lock.connect();
  try {
    await lock.query(`select pg_advisory_lock(${LOCK})`);
    const orm = await MikroORM.init(ormOptions({ url, poolMax: 2, entities, migrations, limited: false }));
    try {
      const applied = await orm.migrator.up();
      return applied.map((migration) => migration.name);
    } finally {
      await orm.close(true);
    }
  } finally {
    await lock.end();
  }
}
