import { setImmediate } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { query, queryOne } from '../../../test/support/sql.js';
import { ENTITIES } from '../../app/entities.js';
import { raw, sql } from '../sql/sql.js';
import { afterCommit, Database, type Tx } from './database.js';
import { ormOptions } from './orm.config.js';

let db: TestDatabase;
let database: Database;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
  await query(db.owner, `create table jotting (id text primary key, text text not null default '')`);
  await query(db.owner, `grant all on jotting to public`);
});
afterAll(() => db.drop());
beforeEach(() => query(database, `truncate jotting`));

const write = (tx: Tx, id: string): Promise<unknown> => query(tx, `insert into jotting (id) values ($1)`, [id]);
const notes = async (): Promise<string[]> =>
  (await query<{ id: string }>(database, `select id from jotting order by id`)).map(({ id }) => id);

/** Makes PostgreSQL itself report an error with this code. */
const fail = (tx: Tx, code: string): Promise<unknown> =>
  query(tx, `do $$ begin raise exception 'made to fail' using errcode = '${code}'; end $$`);

describe('a transaction', () => {
  it('commits everything, and returns the result of the work', async () => {
    const result = await database.transaction(async (tx) => {
      await write(tx, 'a');
      await write(tx, 'b');
      return 7;
    });
    expect([result, await notes()]).toEqual([7, ['a', 'b']]);
  });

  it('commits nothing when the work fails, and throws its error', async () => {
    const failure = new Error('no');
    const failing = database.transaction(async (tx) => {
      await write(tx, 'a');
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    expect(await notes()).toEqual([]);
  });

  it('sees its own writes, and no other transaction does before the commit', async () => {
    await database.transaction(async (tx) => {
      await write(tx, 'a');
      expect(await queryOne(tx, `select count(*) from jotting`)).toEqual({ count: '1' });
      expect(await notes()).toEqual([]);
    });
  });

  it.each(['40001', '40P01'])('that fails with %s runs again as a whole, with one effect [D-46]', async (code) => {
    const seen = new Set<Tx>();
    await database.transaction(async (tx) => {
      seen.add(tx);
      await write(tx, 'a');
      if (seen.size < 3) await fail(tx, code);
    });
    expect([seen.size, await notes()]).toEqual([3, ['a']]);
  });

  it('stops after four attempts, and does not retry permanent errors [D-46]', async () => {
    let tries = 0;
    const attempt = (code: string): Promise<void> =>
      database.transaction(async (tx) => {
        tries++;
        await fail(tx, code);
      });
    await expect(attempt('40001')).rejects.toThrow('made to fail');
    expect(tries).toBe(4);
    tries = 0;
    await expect(attempt('23505')).rejects.toThrow('made to fail');
    expect(tries).toBe(1);
  });

  it('that deadlocks with another succeeds: both have their effect, once [D-46]', async () => {
    await query(database, `insert into jotting (id) values ('left'), ('right')`);
    const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const cross = (mine: 0 | 1, first: string, second: string): Promise<void> =>
      database.transaction(async (tx) => {
        await query(tx, `update jotting set text = text || $2 where id = $1`, [first, `${mine}`]);
        both[mine].resolve();
        await both[1 - mine]?.promise;
        await query(tx, `update jotting set text = text || $2 where id = $1`, [second, `${mine}`]);
      });
    await Promise.all([cross(0, 'left', 'right'), cross(1, 'right', 'left')]);
    const texts = await query<{ text: string }>(database, `select text from jotting`);
    for (const { text } of texts) expect(['01', '10']).toContain(text);
  });

  it('whose connection dies fails with the error of its work, not with that of its rollback', async () => {
    const orm = await MikroORM.init(ormOptions({ url: db.url, poolMax: 1, entities: ENTITIES, migrations: [] }));
    try {
      const failing = new Database(orm).transaction(async (tx) => {
        const { pid } = await queryOne<{ pid: number }>(tx, `select pg_backend_pid() as pid`);
        await query(database, `select pg_terminate_backend($1)`, [pid]);
        throw new Error('made to fail');
      });
      await expect(failing).rejects.toThrow('made to fail');
    } finally {
      await orm.close(true);
    }
  });

  it('whose connection dies fails, and leaves the pool as it was', async () => {
    const orm = await MikroORM.init(ormOptions({ url: db.url, poolMax: 1, entities: ENTITIES, migrations: [] }));
    const single = new Database(orm);
    try {
      for (let i = 0; i < 3; i++) {
        const dying = single.transaction(async (tx) => {
          const { pid } = await queryOne<{ pid: number }>(tx, `select pg_backend_pid() as pid`);
          await query(database, `select pg_terminate_backend($1)`, [pid]);
          await write(tx, 'a');
        });
        await expect(dying).rejects.toThrow();
      }
      expect(await query(single, `select 1 as one`)).toEqual([{ one: 1 }]);
    } finally {
      await orm.close(true);
    }
  });
});

describe('a write of one statement', () => {
  it.each([false, true])('is made, and its row returned; it waits for locks: %s', async (waits) => {
    const written = await database.write(sql`insert into jotting (id) values (${'a'}) returning ${raw('id')}`, {
      waits,
    });
    expect([written, await notes()]).toEqual([{ id: 'a' }, ['a']]);
  });
});

describe('a callback after the commit', () => {
  it('runs when others can see the changes', async () => {
    const seen = Promise.withResolvers<string[]>();
    await database.transaction(async (tx) => {
      await write(tx, 'a');
      afterCommit(tx, () => seen.resolve(notes()));
      expect(await notes()).toEqual([]);
    });
    expect(await seen.promise).toEqual(['a']);
  });

  it('never runs for an attempt that was rolled back', async () => {
    const ran: number[] = [];
    let tries = 0;
    await database.transaction(async (tx) => {
      const nth = ++tries;
      afterCommit(tx, () => ran.push(nth));
      if (nth === 1) await fail(tx, '40001');
    });
    expect(ran).toEqual([2]);
  });
});

describe('a session', () => {
  it('reads what is committed, whatever the default of the database is', async () => {
    await query(
      db.owner,
      `do $$ begin
         execute format('alter database %I set default_transaction_isolation = serializable', current_database());
       end $$`,
    );
    const orm = await MikroORM.init(ormOptions({ url: db.url, poolMax: 1, entities: ENTITIES, migrations: [] }));
    try {
      expect(await query(new Database(orm), 'show transaction_isolation')).toEqual([
        { transaction_isolation: 'read committed' },
      ]);
    } finally {
      await orm.close(true);
    }
  });

  it('that waits or computes for too long is cancelled, and its connection is released [D-49]', async () => {
    const orm = await MikroORM.init(ormOptions({ url: db.url, poolMax: 2, entities: ENTITIES, migrations: [] }));
    const small = new Database(orm);
    await query(database, `insert into jotting (id) values ('locked')`);
    const release = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    try {
      const holding = database.transaction(async (tx) => {
        await query(tx, `select from jotting where id = 'locked' for update`);
        locked.resolve();
        await release.promise;
      });
      await locked.promise;
      const [waiting, sleeping, queued] = await Promise.allSettled([
        query(small, `select from jotting where id = 'locked' for update`),
        query(small, `select pg_sleep(30)`),
        query(small, `select 1 as one`),
      ]);
      expect(waiting).toMatchObject({ reason: { code: '55P03' } });
      expect(sleeping).toMatchObject({ reason: { code: '57014' } });
      expect(queued).toMatchObject({ value: [{ one: 1 }] });
      release.resolve();
      await holding;
    } finally {
      release.resolve();
      await orm.close(true);
    }
  });
});

describe('closing', () => {
  it('ends in time although a connection is still being opened', async () => {
    const orm = await MikroORM.init(ormOptions({ url: db.url, poolMax: 1, entities: ENTITIES, migrations: [] }));
    const closing = new Database(orm);
    const asked = query(closing, `select 1`).catch((error: unknown) => error);
    await setImmediate();
    await closing.close();
    // If this ever returns true, Kysely no longer loses such a connection, and the timeout can go.
    expect(await asked).toBeInstanceOf(TypeError);
  });
});
