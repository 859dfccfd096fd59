import { Database } from '../../src/platform/database/database.js';
import { compiled, sql, type Statement } from '../../src/platform/sql/sql.js';
import { query } from './sql.js';

/** Creates `work_left`, a table in which a test says which recurring jobs have work: a row with the job's name. */
export async function createWorkLeft(owner: Database): Promise<void> {
  await query(owner, `create table work_left (job text)`);
  await query(owner, `grant select on work_left to public`);
}

/** The statement with which a job of this name finds its work. */
export const workOf = (job: string) => sql`select from work_left where job = ${job}`;

/** Counts the statements that ask which jobs have work. */
export class AskedDatabase extends Database {
  questions = 0;

  override rows<Row>(statement: Statement<Row>): Promise<Row[]> {
    if (compiled(statement).text.includes('work_left')) this.questions++;
    return super.rows(statement);
  }
}

/** Lets no question about work be answered until the returned function is called. */
export async function holdAnswers(owner: Database): Promise<() => Promise<void>> {
  const [isLocked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const locking = owner.transaction(async (tx) => {
    await query(tx, `lock table work_left`);
    isLocked.resolve();
    await release.promise;
  });
  await isLocked.promise;
  return async () => {
    release.resolve();
    await locking;
  };
}
