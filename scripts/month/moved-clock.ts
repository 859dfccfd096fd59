import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, DatabaseError } from 'pg';

/**
 * `now()` of the database, moved. The migrations run with this path, so the defaults of columns and the triggers use it too.
 * `public` stays first: tables are created there. The job queue sets its own path and keeps the true time, which only wakes.
 */
const INSTALL = `
  create schema clock;
  create table clock.moved (by interval not null);
  insert into clock.moved values ('0');
  create function clock.now() returns timestamptz language sql stable
    as 'select pg_catalog.now() + (select by from clock.moved)';
  create function clock.transaction_timestamp() returns timestamptz language sql stable
    as 'select pg_catalog.now() + (select by from clock.moved)';
  create function clock.statement_timestamp() returns timestamptz language sql stable
    as 'select pg_catalog.statement_timestamp() + (select by from clock.moved)';
  create function clock.clock_timestamp() returns timestamptz language sql volatile
    as 'select pg_catalog.clock_timestamp() + (select by from clock.moved)';
  grant usage on schema clock to public;
  grant select on clock.moved to public;
  do $$ begin
    execute format('alter database %I set search_path = public, clock, pg_catalog', current_database());
  end $$`;

/** What says that a process or a node lives. It moves along: otherwise each leap would look like an outage. */
const SIGNS_OF_LIFE = [
  'update lease set expires_at = expires_at + $1::interval',
  'update vault_presence set seen_at = seen_at + $1::interval',
  'update chain_cursor set synced_at = synced_at + $1::interval',
  'update rpc_node set reported_at = reported_at + $1::interval',
];

/** Below the second after which PostgreSQL looks for deadlocks: the clock gives way, and no transaction of the service fails. */
const LOCK_TIMEOUT_MS = 400;
const TRIES_MAX = 200;
/** A lock timeout, a deadlock. */
const RETRIED = new Set(['55P03', '40P01']);
/** The vault signs under a lock of an order. It must not prove a simulation fresh before a leap, and sign after it. */
const NOTHING_IS_SIGNED = `lock table withdrawal, deposit_return, sweep, sweep_contract, energy_loan, energy_return,
  stake_order, chain_transaction in exclusive mode`;

/**
 * The clock of a sandbox whose past is made up in minutes: that of its database, of its processes and of its chains. It runs at
 * the usual speed and leaps forward between. It ends at the true time, so that the sandbox works on afterwards.
 */
export class MovedClock {
  private readonly client: Client;
  private readonly file: string;
  private movedByMs: number;

  private constructor(client: Client, file: string, movedByMs: number) {
    this.client = client;
    this.file = file;
    this.movedByMs = movedByMs;
  }

  /** Installs the clock in an empty database. */
  static async install(databaseUrl: string, dataDir: string, movedByMs: number): Promise<MovedClock> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(INSTALL);
    const clock = new MovedClock(client, join(dataDir, 'moved-clock'), movedByMs);
    await client.query(`update clock.moved set by = $1::interval`, [milliseconds(movedByMs)]);
    clock.writeFile();
    return clock;
  }

  /** Environment variables that move the `Date` of a process and of those that it starts. */
  get env(): Readonly<Record<string, string>> {
    const hook = new URL('moved-date.mjs', import.meta.url).href;
    return { NODE_OPTIONS: `--import=${hook}`, MOVED_CLOCK_FILE: this.file };
  }

  /** Milliseconds since 1970, as the service sees them. */
  now(): number {
    return Date.now() + this.movedByMs;
  }

  /** How far the clock is behind the true time. */
  get behindMs(): number {
    return -this.movedByMs;
  }

  /** Moves the clock of the database and of the processes forward, at most to the true time. */
  async leap(byMs: number): Promise<void> {
    const ms = Math.min(Math.round(byMs), this.behindMs);
    for (let tries = 1; !(await this.moveDatabase(ms)); tries += 1) {
      if (tries === TRIES_MAX) throw new Error('The service signs without a pause.');
    }
    this.movedByMs += ms;
    this.writeFile();
  }

  /** Returns false, without a change, when something holds a lock for long. */
  private async moveDatabase(ms: number): Promise<boolean> {
    try {
      await this.client.query('begin');
      await this.client.query(`set local lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
      await this.client.query(NOTHING_IS_SIGNED);
      await this.client.query('update clock.moved set by = by + $1::interval', [milliseconds(ms)]);
      for (const statement of SIGNS_OF_LIFE) await this.client.query(statement, [milliseconds(ms)]);
      await this.client.query('commit');
      return true;
    } catch (error) {
      await this.client.query('rollback');
      if (!(error instanceof DatabaseError && RETRIED.has(error.code ?? ''))) throw error;
      return false;
    }
  }

  close(): Promise<void> {
    return this.client.end();
  }

  /** Atomic: a process may read it at any time. */
  private writeFile(): void {
    writeFileSync(`${this.file}.new`, String(this.movedByMs));
    renameSync(`${this.file}.new`, this.file);
  }
}

const milliseconds = (ms: number): string => `${ms} milliseconds`;
