import { setTimeout as sleep } from 'node:timers/promises';
import { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { CompiledQuery, type Kysely } from 'kysely';
import type { QueryResultRow } from 'pg';
import { hasErrorCode } from '../processes.js';
import { compiled, type Statement } from '../sql/sql.js';
import { withTimeout } from '../with-timeout.js';
import { SharedConnections } from './shared-connections.js';

const ATTEMPTS_MAX = 4;
const CLOSE_TIMEOUT_MS = 3_000;
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
/** On a shared connection: a statement in front had the same text, and could not be prepared. Nothing has run. */
const NOT_PREPARED = '26000';
const PREPARED_TWICE = '42P05';

declare const TRANSACTION: unique symbol;

/**
 * An entity manager inside a transaction: services take it, join the transaction and never open their own. Only
 * `Database.transaction` makes one, so code that locks rows does not compile outside of a transaction. Code that only reads
 * takes an `EntityManager`, which may have none.
 */
export type Tx = EntityManager & { readonly [TRANSACTION]: true };

/**
 * Runs a statement in the entity manager's transaction, or on the pool when it has none. Returns its rows as pg delivers
 * them: timestamps, bigint and numeric columns as text.
 */
export function rows<Row>(em: EntityManager, statement: Statement<Row>): Promise<Row[]> {
  return run(em.getTransactionContext() ?? em.getConnection().getClient(), statement);
}

async function run<Row>(client: Pick<Kysely<unknown>, 'executeQuery'>, statement: Statement<Row>): Promise<Row[]> {
  const { text, values } = compiled(statement);
  const result = await client.executeQuery<Row>(CompiledQuery.raw(text, [...values]));
  return result.rows;
}

/** Runs a statement that returns one row. @throws Error when it returns none */
export async function row<Row>(em: EntityManager, statement: Statement<Row>): Promise<Row> {
  return onlyOne(await rows(em, statement), statement);
}

function onlyOne<Row>([only]: readonly Row[], statement: Statement<Row>): Row {
  if (only === undefined) throw new Error(`Statement returned no row: ${compiled(statement).text.slice(0, 80)}`);
  return only;
}

const afterCommitCallbacks = new WeakMap<Tx, (() => void)[]>();

/**
 * Runs `callback` once the transaction has committed, and never when it rolls back. Use it only for notifications whose
 * loss is harmless, such as waking a worker: a crash in between loses the call.
 */
export function afterCommit(tx: Tx, callback: () => void): void {
  const callbacks = afterCommitCallbacks.get(tx);
  if (callbacks === undefined) throw new Error('There is no transaction whose commit could be awaited.');
  callbacks.push(callback);
}

function assertInTransaction(em: EntityManager): asserts em is Tx {
  if (!em.isInTransaction()) throw new Error('The entity manager has no transaction.');
}

/** Whether PostgreSQL advises to retry the whole transaction after this error. */
function isRetryable(error: unknown): boolean {
  return hasErrorCode(error, SERIALIZATION_FAILURE, DEADLOCK_DETECTED);
}

async function retrying<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || attempt === ATTEMPTS_MAX) throw error;
      await sleep(attempt * 10 + (performance.now() % 10));
    }
  }
}

/** Opens transactions and runs statements. Entry points open transactions here; services join them. */
@Injectable()
export class Database {
  private shared: SharedConnections | undefined;

  constructor(private readonly orm: MikroORM) {}

  /** A fresh entity manager without a transaction, for reads. */
  em(): EntityManager {
    return this.orm.em.fork();
  }

  /**
   * Runs `work` in one READ COMMITTED transaction. After a deadlock or a serialization failure it runs again with a fresh
   * entity manager, so `work` must have no effects outside the database.
   */
  async transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return retrying(() => this.once(work));
  }

  /**
   * Runs one statement that writes and returns one row, in a transaction of its own. It runs again after a deadlock. One that
   * waits for no lock may share its connection with others.
   * @throws Error when it returns no row
   */
  async write<Row>(statement: Statement<Row>, { waits }: { readonly waits: boolean }): Promise<Row> {
    return retrying(async () => {
      const written = await (waits ? this.rows(statement) : this.rowsOnShared(statement));
      return onlyOne(written, statement);
    });
  }

  /** Runs one statement on the pool, outside any transaction, and returns its rows. */
  rows<Row>(statement: Statement<Row>): Promise<Row[]> {
    return run(this.orm.em.getConnection().getClient(), statement);
  }

  /**
   * Closes the pool within 3 s. Returns false when connections remain open until the process ends: Kysely loses a
   * connection that is still being opened when its driver is destroyed, and the pool would wait for it without end.
   */
  async close(): Promise<boolean> {
    return withTimeout(this.orm.close(true), CLOSE_TIMEOUT_MS);
  }

  private async rowsOnShared<Row>(statement: Statement<Row>): Promise<Row[]> {
    const pool = await this.orm.driver.getConnection().getNativeClient();
    this.shared ??= new SharedConnections(pool);
    const { text, values } = compiled(statement);
    try {
      const result = await this.shared.run((client) => client.query<Row & QueryResultRow>(text, [...values]));
      return result.rows;
    } catch (error) {
      if (!hasErrorCode(error, NOT_PREPARED, PREPARED_TWICE)) throw error;
      return this.rows(statement);
    }
  }

  /**
   * Uses Kysely's transaction, not the entity manager's. The latter never releases its connection when COMMIT or ROLLBACK
   * fails because the connection died, and after a few of those the pool is empty.
   */
  private async once<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const tx: EntityManager = this.orm.em.fork();
    const callbacks: (() => void)[] = [];
    const client: Pick<Kysely<unknown>, 'transaction'> = tx.getConnection().getClient();
    const failures: unknown[] = [];
    const execution = client.transaction().execute(async (transaction) => {
      tx.setTransactionContext(transaction);
      assertInTransaction(tx);
      afterCommitCallbacks.set(tx, callbacks);
      try {
        const worked = await work(tx);
        await tx.flush();
        return worked;
      } catch (error) {
        failures.push(error);
        throw error;
      }
    });
    // Where the connection is gone, ROLLBACK fails too, and Kysely throws that error instead of the work's.
    const result = await execution.catch((error: unknown) => {
      throw failures[0] ?? error;
    });
    for (const callback of callbacks) callback();
    return result;
  }
}
