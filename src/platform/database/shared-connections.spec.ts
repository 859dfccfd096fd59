import { MikroORM } from '@mikro-orm/postgresql';
import type { PoolClient } from 'pg';
import { freshDatabase, type FreshDatabase } from '../../../test/support/database-url.js';
import { eventually } from '../../../test/support/eventually.js';
import { sql } from '../sql/sql.js';
import { Database } from './database.js';
import { ormOptions } from './orm.config.js';
import { SharedConnections } from './shared-connections.js';

const POOL_MAX = 8;
/** Half of the pool. */
const SHARED_MAX = 4;
const STATEMENTS_MAX = 8;

let db: FreshDatabase;
let orm: MikroORM;
let shared: SharedConnections;

beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());
beforeEach(async () => {
  orm = new MikroORM({
    ...ormOptions({ url: db.url, poolMax: POOL_MAX, entities: [], migrations: [] }),
    discovery: { warnWhenNoEntities: false },
  });
  shared = new SharedConnections(await pool());
});
afterEach(() => orm.close(true));

const pool = () => orm.driver.getConnection().getNativeClient();

const ask = (text: string, values: unknown[] = []) => shared.run((client: PoolClient) => client.query(text, values));

/** The process of PostgreSQL that runs each of so many statements at once. */
async function pidsOf(count: number): Promise<number[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, () => ask('select pg_backend_pid() as pid, pg_sleep($1)', [0.05])),
  );
  return answers.map(({ rows }) => Number(rows[0]?.pid));
}

describe('shared connections', () => {
  it('give each statement its own answer or error, whatever fails beside it', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 64 }, (_, nth) => {
        if (nth % 5 === 1) return ask('select $1::int / 0 as nth', [nth]);
        if (nth % 5 === 2) return ask(`select $1::int as nth from no_table_${nth}`, [nth]);
        if (nth % 5 === 3) return ask('select $1::int as nth', [`not ${nth}`]);
        return ask('select $1::int as nth', [nth]);
      }),
    );
    const seen = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.rows : String(outcome.reason.message),
    );
    expect(seen).toEqual(
      Array.from({ length: 64 }, (_, nth) => {
        if (nth % 5 === 1) return 'division by zero';
        if (nth % 5 === 2) return `relation "no_table_${nth}" does not exist`;
        if (nth % 5 === 3) return `invalid input syntax for type integer: "not ${nth}"`;
        return [{ nth }];
      }),
    );
  });

  it('run each statement alone while there are few', async () => {
    expect(new Set(await pidsOf(SHARED_MAX)).size).toBe(SHARED_MAX);
  });

  it('send a statement before the one in front of it is answered', async () => {
    const statements = Array.from({ length: SHARED_MAX * 2 }, (_, n) => ask('select $1::int from no_such_table', [n]));
    const outcomes = await Promise.allSettled(statements);
    const codes = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code);
    // The first one on each connection was to prepare the text for those behind it.
    expect(codes).toEqual([...Array(SHARED_MAX).fill('42P01'), ...Array(SHARED_MAX).fill('26000')]);
  });

  it('let no write fail because the one in front of it could not be prepared', async () => {
    const database = new Database(orm);
    const statements = Array.from({ length: SHARED_MAX * STATEMENTS_MAX }, (_, n) =>
      database.write(sql`select ${n}::int from no_such_table`, { waits: false }),
    );
    for (const outcome of await Promise.allSettled(statements)) {
      expect(outcome).toMatchObject({ reason: { code: '42P01' } });
    }
  });

  it('are at most half of the pool, and the statements are spread over them evenly', async () => {
    const pids = await pidsOf(SHARED_MAX * 3);
    const counts = [...new Set(pids)].map((pid) => pids.filter((other) => other === pid).length);
    expect(counts).toEqual([3, 3, 3, 3]);
  });

  it('take no more than eight statements each: others have a connection of the pool for themselves', async () => {
    const pids = await pidsOf(SHARED_MAX * STATEMENTS_MAX + 1);
    expect(pids.filter((pid) => pid === pids.at(-1))).toHaveLength(1);
  });

  it('commit each statement by itself', async () => {
    await ask('create table if not exists jotting (n int)');
    const [first] = await Promise.allSettled([
      ...Array.from({ length: SHARED_MAX }, () => ask('insert into jotting values (1 / $1::int)', [0])),
      ...Array.from({ length: SHARED_MAX }, (_, n) => ask('insert into jotting values ($1::int)', [n])),
    ]);
    expect(first?.status).toBe('rejected');
    expect((await ask('select count(*)::int as count from jotting')).rows).toEqual([{ count: SHARED_MAX }]);
  });

  it('fail the statements of a connection that breaks, and no others; later ones get a new connection', async () => {
    const other = await (await pool()).connect();
    const { rows } = await ask('select pg_backend_pid() as pid');
    const running = ask('select pg_sleep(10)').catch(async (error: unknown) => {
      expect(String(error)).toContain('terminating connection');
      return ask('select 1 as one');
    });
    const others = Array.from({ length: SHARED_MAX * 2 - 1 }, () => ask('select pg_sleep($1)', [0.5]));
    const ended = Promise.allSettled(others);
    await eventually(
      () => other.query(`select from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'`, [rows[0]?.pid]),
      ({ rowCount }) => rowCount === 1,
    );
    await other.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    other.release();
    expect((await running).rows).toEqual([{ one: 1 }]);
    expect((await ended).filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });

  it.each([0, 1])(
    'are not used again once a statement on them is not answered in time, %i behind it',
    async (count) => {
      const statement = { text: 'select pg_sleep(10)', query_timeout: 100 };
      const late = shared.run((client) => client.query(statement));
      const others = Array.from({ length: SHARED_MAX - 1 }, () => ask('select pg_sleep($1)', [0.5]));
      const behind = Array.from({ length: count }, () => ask('select 1 as one').catch(String));
      await expect(late).rejects.toThrow('Query read timeout');
      expect((await ask('select 1 as one')).rows).toEqual([{ one: 1 }]);
      for (const answer of await Promise.all(behind)) expect(answer).toContain('Connection terminated');
      await Promise.all(others);
    },
  );

  it('go back to the pool when nothing runs on them, also after statements that failed', async () => {
    const before = await pidsOf(SHARED_MAX);
    const failing = Array.from({ length: SHARED_MAX * 2 }, () => ask('select 1 / $1::int', [0]));
    await Promise.allSettled(failing);
    expect(new Set(await pidsOf(SHARED_MAX))).toEqual(new Set(before));
    expect((await pool()).idleCount).toBe(SHARED_MAX);
  });

  it('leave the rest of the pool to others while they always have work', async () => {
    let isOver = false;
    const busy = Array.from({ length: SHARED_MAX * 2 }, async () => {
      while (!isOver) await ask('select pg_sleep(0.01)');
    });
    try {
      await eventually(async () => (await pool()).totalCount === SHARED_MAX);
      const rest = Array.from({ length: POOL_MAX - SHARED_MAX }, async () => (await pool()).connect());
      for (const client of await Promise.all(rest)) client.release();
    } finally {
      isOver = true;
      await Promise.all(busy);
    }
  });

  it('report a database that cannot be reached to every statement', async () => {
    const absent = new MikroORM({
      ...ormOptions({ url: 'postgres://postgres@127.0.0.1:1/none', poolMax: POOL_MAX, entities: [], migrations: [] }),
      discovery: { warnWhenNoEntities: false },
    });
    const unreachable = new SharedConnections(await absent.driver.getConnection().getNativeClient());
    const outcomes = await Promise.allSettled(
      Array.from({ length: SHARED_MAX * 2 }, () => unreachable.run((client) => client.query('select 1'))),
    );
    await absent.close(true);
    expect(outcomes.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(
      Array.from({ length: SHARED_MAX * 2 }, () => 'ECONNREFUSED'),
    );
  });
});
