import type { MigrationObject } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { type EntityClass, type Options, UnderscoreNamingStrategy } from '@mikro-orm/postgresql';
import { PreparingClient } from './preparing-client.js';

/** Limits that keep one stuck statement from taking the service with it (reliability: pool exhausted). */
const SESSION_LIMITS = ['statement_timeout=5000', 'lock_timeout=2000', 'idle_in_transaction_session_timeout=10000'];

/**
 * Whole tables are read only where nothing else is possible. A plan that was made while a queue was empty is kept by the
 * connection, and would read all of it once it is full; every statement of a hot path has its index.
 */
const PLANNER = ['enable_seqscan=off'];

/**
 * The server gives up a statement long before; beyond this the server itself is gone, without a word, and whoever waits
 * would wait for ever.
 */
const ANSWER_WITHIN_MS = 15_000;

/** What the ORM needs to know: where the database is, and which tables and migrations exist. */
export interface OrmSettings {
  readonly url: string;
  readonly poolMax: number;
  readonly entities: readonly EntityClass<object>[];
  readonly migrations: MigrationObject[];
  /** False for migrations: they may take longer than any request. */
  readonly limited?: boolean;
}

/** Options of the one ORM instance of a process. */
export function ormOptions(settings: OrmSettings): Options {
  return {
    clientUrl: settings.url,
    entities: [...settings.entities],
    namingStrategy: UnderscoreNamingStrategy,
    extensions: [Migrator],
    migrations: {
      migrationsList: settings.migrations,
      snapshot: false,
      tableName: 'schema_migration',
      // Each is a transaction of its own: the locks of one end before the next begins.
      allOrNothing: false,
    },
    pool: { min: 0, max: settings.poolMax },
    forceUtcTimezone: true,
    ignoreUndefinedInQuery: true,
    logger: () => undefined,
    // The look at the database at first use takes a second connection, and stalls when transactions hold them all.
    ensureDatabase: false,
    driverOptions: {
      Client: PreparingClient,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      ...(settings.limited !== false && { query_timeout: ANSWER_WITHIN_MS }),
      options:
        settings.limited === false ? '' : [...SESSION_LIMITS, ...PLANNER].map((limit) => `-c ${limit}`).join(' '),
    },
  } as Options;
}
