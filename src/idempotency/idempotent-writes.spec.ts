import { setImmediate } from 'node:timers/promises';
import { AuthWorld, type Interference } from '../../test/auth/sample-app.js';
import { type Answer, codeOf, type SampleServer } from '../../test/auth/sample-server.js';
import { DomainError } from '../domain/errors.js';
import { query, queryOne } from '../../test/support/sql.js';

const ANSWERED_WITHIN_MS = 30_000;

describe('A write with an idempotency key', () => {
  let world: AuthWorld;
  let server: SampleServer;
  let key: string;
  let merchantId: string;
  const interference: Interference = {};

  beforeAll(async () => {
    ({ world, server, key, merchantId } = await AuthWorld.served(interference));
  });
  afterEach(() => {
    delete interference.effect;
    delete interference.prepare;
  });
  afterAll(() => world.close());

  const create = (idempotencyKey: string, note: string, by = key): Promise<Answer> =>
    server.post('/v1/samples', by, idempotencyKey, { note });

  it('[C-37] returns the same status and bytes again, whatever happened to the resource since', async () => {
    const first = await create('replay', 'replay');
    await query(world.db, `update sample set price = 2 where note = $1`, ['replay']);
    const second = await create('"replay"', 'replay');
    expect(first.status).toBe(201);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(second).toMatchObject({ status: 201, text: first.text });
    expect(second.headers).toMatchObject({
      'idempotent-replayed': 'true',
      'original-request-id': first.headers['request-id'],
      'content-type': 'application/json; charset=utf-8',
    });
    expect(second.headers['request-id']).not.toBe(first.headers['request-id']);
    expect(await world.effects('replay')).toBe(1);
  });

  it('keeps the status that its route or its controller sets, not the default of its method', async () => {
    const touched = await server.post('/v1/samples/7/touch', key, 'status');
    const withdrawn = await server.post('/v1/withdrawals', key, 'status');
    expect([touched.status, withdrawn.status]).toEqual([200, 202]);
    expect((await server.post('/v1/withdrawals', key, 'status')).status).toBe(202);
  });

  it('[C-39] is a different request when its bytes differ, even if the JSON is equal', async () => {
    await server.post('/v1/samples', key, 'bytes', '{"note":"bytes"}');
    const spaced = await server.post('/v1/samples', key, 'bytes', '{ "note": "bytes" }');
    expect(spaced.status).toBe(422);
  });

  it('[C-30] [B-20] [B-21] shares its key with no other path, merchant or environment', async () => {
    const foreign = await world.key();
    const live = await world.key({ merchantId: await world.merchant({ verified: true }), environment: 'live' });
    const sandbox = await world.key({ merchantId: live.merchantId });
    const answers = [
      await create('scoped', 'scoped'),
      await create('scoped', 'scoped', foreign.key),
      await create('scoped', 'scoped', live.key),
      await create('scoped', 'scoped', sandbox.key),
      await server.post('/v1/samples/scoped/touch', key, 'scoped'),
      await server.post('/v1/samples/scoped%32/touch', key, 'scoped'),
    ];
    expect(answers.map(({ status, headers }) => [status, headers['idempotent-replayed']])).toEqual([
      ...Array.from({ length: 4 }, () => [201, undefined]),
      ...Array.from({ length: 2 }, () => [200, undefined]),
    ]);
    const spelledOtherwise = await server.post('/v1/samples/%73coped/touch', key, 'scoped');
    expect(spelledOtherwise.text).toBe(answers[4]?.text);
  });

  it('[C-35] may be sent again with the key of a refused request, with a corrected body', async () => {
    expect((await server.post('/v1/samples', key, 'corrected', { note: 5 })).status).toBe(400);
    expect((await create('corrected', 'corrected')).status).toBe(201);
  });

  it('[C-36] keeps no effect and no answer of a failure, so the same key succeeds later', async () => {
    interference.effect = () => Promise.reject(new DomainError('price_unavailable', 'No price.'));
    const failed = await create('later', 'later');
    expect([failed.status, codeOf(failed)]).toEqual([503, 'price_unavailable']);
    expect(await world.effects('later')).toBe(0);
    delete interference.effect;
    const succeeded = await create('later', 'later');
    expect([succeeded.status, succeeded.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  it('[C-34] leaves nothing behind when its connection dies between effect and commit', async () => {
    let alive = false;
    const doomed = await AuthWorld.served({
      effect: async (tx) => {
        if (!alive)
          await query(tx, `select pg_terminate_backend(pg_backend_pid()), $1::int`, [1]).catch(() => undefined);
      },
    });
    const send = (): Promise<Answer> => doomed.server.post('/v1/samples', doomed.key, 'died', { note: 'died' });
    expect((await send()).status).toBe(503);
    expect(await doomed.world.effects('died')).toBe(0);
    alive = true;
    expect((await send()).status).toBe(201);
    expect(await doomed.world.effects('died')).toBe(1);
    await doomed.world.abandon();
  });

  it('[D-46] runs again as a whole after a deadlock: one effect, in the second transaction', async () => {
    const transactions: string[] = [];
    interference.effect = async (tx) => {
      const { xid } = await queryOne<{ xid: string }>(tx, `select pg_current_xact_id()::xid::text as xid`);
      if (transactions.push(xid) === 1) await query(tx, `do $$ begin raise exception using errcode = '40P01'; end $$`);
    };
    expect((await create('deadlock', 'deadlock')).status).toBe(201);
    expect(new Set(transactions).size).toBe(2);
    const written = await query<{ xid: string }>(
      world.db,
      `select xmin::text as xid from sample where note = 'deadlock'`,
    );
    expect(written.map(({ xid }) => xid)).toEqual(transactions.slice(1));
  });

  it('[D-49] waits for a running request without a connection, then answers that the key is in use', async () => {
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const holding: Interference = {
      effect: async (_tx, note) => {
        if (note !== 'held') return;
        started.resolve();
        await finish.promise;
      },
    };
    const { world: small, server: busy, key: smallKey } = await AuthWorld.served(holding, 2);
    const held = busy.post('/v1/samples', smallKey, 'held', { note: 'held' });
    await started.promise;
    const waiting = Array.from({ length: 10 }, () => busy.post('/v1/samples', smallKey, 'held', { note: 'held' }));
    let others = 0;
    const answers = Promise.all(waiting);
    const done = answers.then(() => true);
    const deadline = performance.now() + ANSWERED_WITHIN_MS;
    while (!(await Promise.race([done, setImmediate(false)]))) {
      if (performance.now() > deadline) throw new Error('The waiting requests were not answered.');
      expect((await busy.post('/v1/samples', smallKey, `other-${others}`, { note: 'other' })).status).toBe(201);
      others++;
    }
    for (const answer of await answers) {
      expect([answer.status, codeOf(answer), answer.headers['retry-after']]).toEqual([
        409,
        'idempotency_key_in_use',
        '1',
      ]);
    }
    // A waiting request with a connection would leave none of the two for others.
    expect(others).toBeGreaterThan(2);
    finish.resolve();
    expect((await held).status).toBe(201);
    await small.close();
  });

  it('[C-38] keeps a secret of its answer encrypted, and replays it in clear', async () => {
    const first = await server.post('/v1/secrets', key, 'secret');
    const [record] = await query<{ encrypted: boolean; body: Buffer }>(
      world.db,
      `select encrypted, body from idempotency_record where merchant_id = $1 and path = '/v1/secrets'`,
      [merchantId],
    );
    expect(record?.encrypted).toBe(true);
    expect(record?.body.includes('whsec_plain')).toBe(false);
    const second = await server.post('/v1/secrets', key, 'secret');
    expect(first.text).toContain('whsec_plain');
    expect(second.text).toBe(first.text);
  });

  it('prepares before its transaction, and not for a replay', async () => {
    let prepared = 0;
    interference.prepare = async () => {
      const [open] = await query<{ n: number }>(
        world.db,
        `select count(*)::int as n from pg_stat_activity
          where datname = current_database() and state like 'idle in transaction%'`,
      );
      expect(open?.n).toBe(0);
      prepared++;
    };
    await server.post('/v1/secrets', key, 'prepared');
    await server.post('/v1/secrets', key, 'prepared');
    expect(prepared).toBe(1);
  });

  it('answers as the first request did although the check before its transaction refuses a repeat', async () => {
    const firstPrepares = Promise.withResolvers<void>();
    const repeatIsRefused = Promise.withResolvers<void>();
    let checks = 0;
    interference.prepare = async () => {
      checks += 1;
      if (checks === 1) {
        firstPrepares.resolve();
        await repeatIsRefused.promise;
      } else {
        repeatIsRefused.resolve();
        await first;
        throw new DomainError('invalid_request', 'The target is not allowed.');
      }
    };
    const first = server.post('/v1/secrets', key, 'refused repeat');
    await firstPrepares.promise;
    const repeat = await server.post('/v1/secrets', key, 'refused repeat');
    expect([repeat.status, repeat.text, repeat.headers['idempotent-replayed']]).toEqual([
      (await first).status,
      (await first).text,
      'true',
    ]);
  });

  it('[C-31] needs the key', async () => {
    const answer = await server.send('POST', '/v1/withdrawals', ['Authorization', `Bearer ${key}`]);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'missing_idempotency_key']);
  });
});
