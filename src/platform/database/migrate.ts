import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationObject } from '@mikro-orm/core';
import { type EntityClass, MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { hasErrorCode } from '../processes.js';
import { DatabaseUnreachable } from './database-unreachable.js';
import { ormOptions } from './orm.config.js';

/** Several processes may start at once: one migrates, the others wait. */
const LOCK = `hashtextextended('coffer:migrations', 0)`;
const CONNECT_TIMEOUT_MS = 10_000;
/** The SQLSTATE of a statement that waited longer than `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03';
/** About a minute. A supervisor that starts the process again continues with the migration that this one gave up. */
const TRIES_MAX = 30;
const BETWEEN_TRIES_MS = 500;
const IN_USE =
  'A migration could not lock its table: another session uses it, such as a backup, "coffer verify" or an audit by the ' +
  'worker. Start again when that has ended.';

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
 * Migrates the schema. Returns the names of the applied migrations. The caller holds the lock (`underMigrationLock`). A
 * migration that finds a table in use is tried `triesMax` times; between two tries the service works.
 */
export async function applyMigrations(
  url: string,
  entities: readonly EntityClass<object>[],
  migrations: MigrationObject[],
  triesMax = TRIES_MAX,
): Promise<string[]> {
  const orm = await MikroORM.init(ormOptions({ url, poolMax: 2, entities, migrations, use: 'migration' }));
  try {
    const pending = await orm.migrator.getPending();
    for (const { name } of pending) await retryWhileLocked(() => orm.migrator.up(name), triesMax);
    return pending.map(({ name }) => name);
  } finally {
    await orm.close(true);
  }
}

async function retryWhileLocked(migrate: () => Promise<unknown>, triesMax: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await migrate();
      return;
    } catch (error) {
      if (!hasErrorCode(error, LOCK_NOT_AVAILABLE)) throw error;
      if (tries >= triesMax) throw new Error(IN_USE, { cause: error });
    }
    await sleep(BETWEEN_TRIES_MS);
  }
}
