import type { MigrationObject } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { type EntityClass, type Options, UnderscoreNamingStrategy } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { PreparingClient } from './preparing-client.js';

/** Limits that keep stuck statements from exhausting the pool. */
const SESSION_LIMITS = ['statement_timeout=5000', 'lock_timeout=2000', 'idle_in_transaction_session_timeout=10000'];

/**
 * While a migration waits for a table that a backup or an audit reads, every request to it waits behind the migration.
 * This is less than the patience of a request, and more than PostgreSQL's `deadlock_timeout` of 1 s, after which an
 * autovacuum that is in the way of the migration is cancelled.
 */
const MIGRATION_LIMITS = ['lock_timeout=1500'];

/**
 * Avoids sequential scans. A connection keeps a plan that was made while a table was nearly empty, and that plan would
 * scan the table once it is full. Every hot statement has an index.
 */
const PLANNER = ['enable_seqscan=off'];

/** The locks of this service are made for this level, whatever the default of the server, database or role is. */
const ISOLATION = [String.raw`default_transaction_isolation=read\ committed`];

/**
 * The server cancels a statement long before this. After it, the server itself is unreachable, or as slow for those in front
 * on a shared connection, and without this limit the caller would wait without end.
 */
const ANSWER_WITHIN_MS = 15_000;

const SETTINGS = { service: [...SESSION_LIMITS, ...PLANNER], migration: MIGRATION_LIMITS, audit: [] } as const;

/** Settings of the ORM: the database, the tables and the migrations. */
export interface OrmSettings {
  readonly url: string;
  readonly poolMax: number;
  readonly entities: readonly EntityClass<object>[];
  readonly migrations: MigrationObject[];
  /** Whose statements these are: a migration and an audit may take longer than any request. */
  readonly use?: keyof typeof SETTINGS;
}

/** Options of the one ORM instance of a process. */
export function ormOptions({ use = 'service', ...settings }: OrmSettings): Options {
  return {
    clientUrl: settings.url,
    entities: [...settings.entities],
    namingStrategy: UnderscoreNamingStrategy,
    extensions: [Migrator],
    migrations: {
      migrationsList: settings.migrations,
      snapshot: false,
      tableName: 'schema_migration',
      // Each migration is its own transaction: the locks of one end before the next begins.
      allOrNothing: false,
    },
    pool: { min: 0, max: settings.poolMax },
    forceUtcTimezone: true,
    logger: () => undefined,
    // The check of the database at first use takes a second connection, and blocks when transactions hold them all.
    ensureDatabase: false,
    driverOptions: {
      // A full audit runs each of its statements once.
      Client: use === 'audit' ? Client : PreparingClient,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      // `pipeline` sends a statement before the one in front of it is answered, which `SharedConnections` makes use of.
      ...(use === 'service' && { query_timeout: ANSWER_WITHIN_MS, pipeline: true }),
      options: [...ISOLATION, ...SETTINGS[use]].map((setting) => `-c ${setting}`).join(' '),
    },
  } as Options;
}
