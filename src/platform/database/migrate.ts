import type { MigrationObject } from '@mikro-orm/core';
import { type EntityClass, MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { DatabaseUnreachable } from './database-unreachable.js';
import { ormOptions } from './orm.config.js';

/** Several processes may start at once: one migrates, the others wait. */
const LOCK = `hashtextextended('coffer:migrations', 0)`;
const CONNECT_TIMEOUT_MS = 10_000;

/** Runs `work` while no other process changes the schema. The lock ends with the connection passed to `work`. */
export async function underMigrationLock<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  return withClient(url, async (client) => {
    await client.query(`select pg_advisory_lock(${LOCK})`);
    return work(client);
  });
}

/**
 * Runs `work` on its own connection without a statement timeout.
 * @throws DatabaseUnreachable when there is no connection within 10 s.
 */
export async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // A lost connection fails the next statement; without a listener the event would also end the process.
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => {
    throw new DatabaseUnreachable(url, error);
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Migrates the schema. Returns the names of the applied migrations. The caller holds the lock (`underMigrationLock`).
 */
export async function applyMigrations(
  url: string,
  entities: readonly EntityClass<object>[],
  migrations: MigrationObject[],
): Promise<string[]> {
  const orm = await MikroORM.init(ormOptions({ url, poolMax: 2, entities, migrations, limited: false }));
  try {
    const applied = await orm.migrator.up();
    return applied.map((migration) => migration.name);
  } finally {
    await orm.close(true);
  }
}
