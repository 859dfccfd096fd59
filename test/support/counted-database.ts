import { Database, type Tx } from '../../src/platform/database/database.js';
import type { Statement } from '../../src/platform/sql/sql.js';

/** A database that counts the statements of the services that have it, but for those that begin and end transactions. */
export class CountedDatabase extends Database {
  statements = 0;

  override rows<Row>(statement: Statement<Row>): Promise<Row[]> {
    this.statements += 1;
    return super.rows(statement);
  }

  override transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return super.transaction((tx) => {
      const context: object = tx.getTransactionContext() ?? {};
      const execute: unknown = Reflect.get(context, 'executeQuery');
      if (typeof execute !== 'function') throw new Error('The transaction executes nothing.');
      Reflect.set(context, 'executeQuery', (...args: unknown[]): unknown => {
        this.statements += 1;
        return Reflect.apply(execute, context, args);
      });
      return work(tx);
    });
  }
}
