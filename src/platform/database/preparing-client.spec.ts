import { freshDatabase, type FreshDatabase } from '../../../test/support/database-url.js';
import { PreparingClient } from './preparing-client.js';

let db: FreshDatabase;
let client: PreparingClient;

/** Kysely's way of calling; the class narrows pg's overloads away. */
async function query(...args: [text: string, values?: unknown[]]): Promise<Record<string, unknown>[]> {
  const result: unknown = await client.query(...args);
  return (result as { rows: Record<string, unknown>[] }).rows;
}

const prepared = async (): Promise<string[]> =>
  (await query(`select statement from pg_prepared_statements`)).map((row) => String(row['statement']));

beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());
beforeEach(async () => {
  client = new PreparingClient({ connectionString: db.url });
  await client.connect();
});
afterEach(() => client.end());

describe('the preparing client', () => {
  it('prepares a statement with parameters once, and runs it with any of them', async () => {
    const text = 'select $1::int + 1 as sum';
    for (const [given, sum] of [
      [1, 2],
      [41, 42],
    ]) {
      expect(await query(text, [given])).toEqual([{ sum }]);
    }
    expect((await prepared()).filter((statement) => statement === text)).toHaveLength(1);
  });

  it('does not change statements without parameters, including several in one text', async () => {
    await query('begin');
    await query('create temporary table t (id int); insert into t values (1)');
    await query('select id from t', []);
    await query('rollback');
    expect(await prepared()).toEqual([]);
  });

  it('continues after a failed statement, with the same text', async () => {
    const text = 'select 10 / $1::int as ratio';
    await expect(query(text, [0])).rejects.toThrow('division by zero');
    expect(await query(text, [5])).toEqual([{ ratio: 2 }]);
  });

  it('keeps the number of prepared statements bounded, whatever texts come', async () => {
    for (let i = 0; i < 520; i++) expect(await query(`select $1::int as n${i}`, [i])).toEqual([{ [`n${i}`]: i }]);
    expect((await prepared()).length).toBeLessThanOrEqual(500);
  });

  it('closes a connection whose server does not answer in time', async () => {
    const limited = { connectionString: db.url, query_timeout: 100, pipeline: true };
    const mute = new PreparingClient(limited);
    mute.on('error', () => undefined);
    await mute.connect();
    const ended = new Promise<void>((resolve) => mute.once('end', () => resolve()));
    await expect(mute.query('select pg_sleep($1)', [10])).rejects.toThrow('Query read timeout');
    await ended;
  });
});
