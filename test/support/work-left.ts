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

/** Counts the questions which jobs have work, and can hold their answers. */
export class AskedDatabase extends Database {
  questions = 0;
  /** The jobs whose work the last question was about. */
  lastAsked: readonly unknown[] = [];
  private answering: Promise<void> = Promise.resolve();

  override async rows<Row>(statement: Statement<Row>): Promise<Row[]> {
    const { text, values } = compiled(statement);
    if (!text.includes('work_left')) return super.rows(statement);
    this.questions++;
    this.lastAsked = values;
    const answer = await super.rows(statement);
    await this.answering;
    return answer;
  }

  /** Lets no question be answered until the returned function is called. */
  holdAnswers(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.answering = promise;
    return resolve;
  }
}
