import { MikroORM } from '@mikro-orm/postgresql';
import { Database, type Tx, sql } from '../platform/database/database.js';
import { ormOptions } from '../platform/database/orm.config.js';
import { BooksAudit } from './books-audit.entity.js';

/**
 * Runs `work` on one state of the whole database, on a connection of its own without time limits: a look at all books
 * takes longer than any request may. Nothing can be written there, and nobody waits for it.
 */
export async function inSnapshot<Result>(databaseUrl: string, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const orm = await MikroORM.init(
    ormOptions({ url: databaseUrl, poolMax: 1, entities: [BooksAudit], migrations: [], limited: false }),
  );
  const database = new Database(orm);
  try {
    return await database.transaction(async (tx) => {
      await sql(tx, `set transaction isolation level repeatable read, read only`);
      return work(tx);
    });
  } finally {
    await database.close();
  }
}
