import { MikroORM } from '@mikro-orm/postgresql';
import { Database, rows, type Tx } from '../platform/database/database.js';
import { ormOptions } from '../platform/database/orm.config.js';
import { BooksAudit } from './books-audit.entity.js';
import { readOneSnapshot } from './snapshot.sql.js';

/**
 * Runs `work` on its own connections without time limits: an audit of all books takes longer than a request may, and must
 * not use the connections of requests.
 */
export async function onOwnConnections<Result>(
  databaseUrl: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const orm = await MikroORM.init(
    ormOptions({ url: databaseUrl, poolMax: 2, entities: [BooksAudit], migrations: [], use: 'audit' }),
  );
  const database = new Database(orm);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/**
 * Runs `work` read-only on one snapshot of the whole database. Meanwhile PostgreSQL cannot vacuum rows that are deleted.
 */
export function inSnapshot<Result>(databaseUrl: string, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return onOwnConnections(databaseUrl, (database) =>
    database.transaction(async (tx) => {
      await rows(tx, readOneSnapshot);
      return work(tx);
    }),
  );
}
