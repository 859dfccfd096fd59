import { AuthWorld, type Interference } from '../../test/auth/sample-app.js';
import { type Answer, codeOf, type SampleServer } from '../../test/auth/sample-server.js';
import { eventually } from '../../test/support/eventually.js';
import { DomainError } from '../domain/errors.js';
import type { Database } from '../platform/database/database.js';
import { query } from '../../test/support/sql.js';

const PATH = '/v1/samples/at-once';

describe('A write of one statement', () => {
  let world: AuthWorld;
  let server: SampleServer;
  let key: string;
  const interference: Interference = {};

  beforeAll(async () => {
    ({ world, server, key } = await AuthWorld.served(interference));
  });
  afterEach(() => {
    delete interference.prepare;
    delete interference.committed;
  });
  afterAll(() => world.close());

  const create = (idempotencyKey: string, note: string): Promise<Answer> =>
    server.post(PATH, key, idempotencyKey, { note });

  /** Runs `body` in PostgreSQL before each sample of this note is inserted, until it is undone. */
  async function beforeInsert(note: string, body: string): Promise<() => Promise<unknown>> {
    await query(
      world.db,
      `create function interfere() returns trigger language plpgsql as $$ begin ${body} return new; end $$`,
    );
    await query(
      world.db,
      `create trigger interfere before insert on sample for each row when (new.note = '${note}')
         execute function interfere()`,
    );
    return () => query(world.db, 'drop function interfere cascade');
  }

  /** Waits until a request holds the lock of its key. */
  const untilOneSleeps = (db: Database): Promise<unknown> =>
    eventually(
      () => query(db, `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`),
      (sleeping) => sleeping.length > 0,
    );

  it('answers and keeps the times of its row, and leaves the text of the request as it is', async () => {
    const note = '+128000-01-01T00:00:00.000Z, now(), $1 and {"quotes": "\\"}';
    const first = await create('times', note);
    const [row] = await query<{ at: Date }>(
      world.db,
      `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from sample where note = $1`,
      [note],
    );
    expect(JSON.parse(first.text)).toEqual({ note, created_at: row?.at });
    expect((await create('times', note)).text).toBe(first.text);
  });

  it('[C-36] keeps nothing of what it refuses, so the same key succeeds later', async () => {
    interference.prepare = () => Promise.reject(new DomainError('price_unavailable', 'No price.'));
    const refused = await create('later', 'later');
    expect([refused.status, codeOf(refused)]).toEqual([503, 'price_unavailable']);
    delete interference.prepare;
    const succeeded = await create('later', 'later');
    expect([succeeded.status, succeeded.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  it('[C-37] returns the kept answer even when it would refuse the request now', async () => {
    const first = await create('gone', 'gone');
    interference.prepare = () => Promise.reject(new DomainError('price_unavailable', 'No price.'));
    const second = await create('gone', 'gone');
    expect([second.status, second.text]).toEqual([201, first.text]);
    const other = await create('gone', 'another body');
    expect(codeOf(other)).toBe('idempotency_key_reused');
  });

  it('notifies once it has committed, and neither for a repeat nor for a refusal', async () => {
    let commits = 0;
    interference.committed = () => void commits++;
    await create('notified', 'notified');
    expect(commits).toBe(1);
    await create('notified', 'notified');
    await create('unwritten', 'nothing');
    interference.prepare = () => Promise.reject(new DomainError('price_unavailable', 'No price.'));
    await create('refused plan', 'refused plan');
    expect(commits).toBe(1);
  });

  it('waits for a running request with the same key, even when it would refuse the request now', async () => {
    const undo = await beforeInsert('running', 'perform pg_sleep(1);');
    const running = create('running', 'running');
    await untilOneSleeps(world.db);
    interference.prepare = () => Promise.reject(new DomainError('price_unavailable', 'No price.'));
    const repeat = await create('running', 'running');
    const first = await running;
    await undo();
    expect([repeat.status, repeat.text, repeat.headers['idempotent-replayed']]).toEqual([201, first.text, 'true']);
  });

  it('is planned again after it has waited for a request with its key, by the state of then', async () => {
    await query(world.db, 'create sequence turns');
    const undo = await beforeInsert(
      'anew',
      `if nextval('turns') = 1 then perform pg_sleep(1.5); raise exception 'failed'; end if;`,
    );
    const first = create('anew', 'anew');
    await untilOneSleeps(world.db);
    let plans = 0;
    interference.prepare = () => Promise.resolve(void plans++);
    const second = await create('anew', 'anew');
    await undo();
    const { status, text } = await first;
    expect(second.status).toBe(201);
    // A request that fails looks for a kept answer, and the second one may have kept its own by then.
    expect([500, second.text]).toContain(status === 500 ? status : text);
    expect(plans).toBeGreaterThan(1);
  });

  it('does not refuse a request while nobody knows whether it was accepted before', async () => {
    await create('unknown', 'unknown');
    interference.prepare = () => Promise.reject(new DomainError('price_unavailable', 'No price.'));
    await query(world.db, 'alter table idempotency_record rename to hidden');
    const answer = await create('unknown', 'unknown');
    await query(world.db, 'alter table hidden rename to idempotency_record');
    expect([answer.status, codeOf(answer)]).toEqual([500, 'internal_error']);
    expect((await create('unknown', 'unknown')).headers['idempotent-replayed']).toBe('true');
  });

  it('[C-34] leaves nothing behind when its connection dies', async () => {
    const undo = await beforeInsert('died', 'perform pg_terminate_backend(pg_backend_pid());');
    expect((await create('died', 'died')).status).toBe(503);
    await undo();
    expect(await world.effects('died')).toBe(0);
    expect((await create('died', 'died')).status).toBe(201);
    expect(await world.effects('died')).toBe(1);
  });

  it('[D-46] runs again after a deadlock, with one effect', async () => {
    await query(world.db, 'create sequence tries');
    const undo = await beforeInsert(
      'deadlock',
      `if nextval('tries') = 1 then raise exception using errcode = '40P01'; end if;`,
    );
    expect((await create('deadlock', 'deadlock')).status).toBe(201);
    await undo();
    const [tries] = await query<{ last: string }>(world.db, 'select last_value as last from tries');
    expect([tries?.last, await world.effects('deadlock')]).toEqual(['2', 1]);
  });

  it('[D-49] answers that the key is in use while another request runs longer than it may wait', async () => {
    const undo = await beforeInsert('held', 'perform pg_sleep(4);');
    const [held, other] = await Promise.all([create('held', 'held'), create('held', 'held')]);
    expect([held.status, other.status].toSorted((a, b) => a - b)).toEqual([201, 409]);
    await undo();
    expect(await world.effects('held')).toBe(1);
  });

  it('is an error, and keeps no answer, when its statement writes nothing', async () => {
    expect((await create('nothing', 'nothing')).status).toBe(500);
    const records = await query(world.db, `select 1 from idempotency_record where idempotency_key = 'nothing'`);
    expect(records).toEqual([]);
  });
});
