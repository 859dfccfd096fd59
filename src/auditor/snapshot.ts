import { MikroORM } from '@mikro-orm/postgresql';
import { Database, type Tx, sql } from '../platform/database/database.js';
import { ormOptions } from '../platform/database/orm.config.js';
import { BooksAudit } from './books-audit.entity.js';

/**
 * Runs `work` on connections of its own without time limits: to look at all books takes longer than any request may, and
 * must not take connections from those who serve requests.
 */
export async function onOwnConnections<Result>(
  databaseUrl: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const orm = await MikroORM.init(
    ormOptions({ url: databaseUrl, poolMax: 2, entities: [BooksAudit], migrations: [], limited: false }),
  );
  const database = new Database(orm);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/**
 * Runs `work` on one state of the whole database. Nothing can be written there. While it lasts, PostgreSQL cleans up
 * nothing that was deleted since.
 */
export function inSnapshot<Result>(databaseUrl: string, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return onOwnConnections(databaseUrl, (database) =>
    database.transaction(async (tx) => {
      await sql(tx, `set transaction isolation level repeatable read, read only`);
      return work(tx);
    }),
  );
}
