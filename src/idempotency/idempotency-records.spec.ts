import { AuthWorld, SECRETS_KEY } from '../../test/auth/sample-app.js';
import { DomainError } from '../domain/errors.js';
import { newId } from '../domain/ids.js';
import { type Tx } from '../platform/database/database.js';
import { SecretBox } from '../platform/secret-box.js';
import { compiled } from '../platform/sql/sql.js';
import { type Claim, IdempotencyRecords } from './idempotency-records.service.js';
import { deleteOldAnswers } from './kept-answers.sql.js';
import { IdempotentWrites, type WritePlan } from './idempotent-writes.js';
import type { WriteRequest } from './write-request.js';
import { query, queryOne } from '../../test/support/sql.js';

const CONFIG = { idempotency: { retentionHours: 24 } };

/** Claims with a snapshot that is older than the commit of the request that held the lock. */
class StaleRecords extends IdempotencyRecords {
  override async claim(tx: Tx, write: WriteRequest): Promise<Claim> {
    await super.claim(tx, write);
    return { kind: 'granted' };
  }
}

/** A write whose effect inserts a note. */
const insertNote = (note: string): WritePlan => planOf((tx) => insert(tx, note));

const insert = (tx: Tx, note: string): Promise<object> =>
  queryOne<object>(tx, `insert into sample (note) values ($1) returning id, note`, [note]);

const planOf = (effect: (tx: Tx) => Promise<object>): WritePlan => ({
  keepsSecret: false,
  prepare: undefined,
  effect: async (tx) => ({ status: 201, body: await effect(tx) }),
});

/** A write whose effect is legal once. */
const insertOnce = (note: string): WritePlan =>
  planOf(async (tx) => {
    const rows = await query(tx, `select 1 from sample where note = $1`, [note]);
    if (rows.length > 0) throw new DomainError('invalid_state_transition', 'Already done.');
    return insert(tx, note);
  });

describe('Records of idempotent writes', () => {
  let world: AuthWorld;
  let merchantId: string;
  let records: IdempotencyRecords;
  const box = new SecretBox(SECRETS_KEY);

  beforeAll(async () => {
    world = await AuthWorld.create();
    merchantId = await world.merchant();
    records = new IdempotencyRecords(world.db, CONFIG);
  });
  afterAll(() => world.close());

  const write = (idempotencyKey: string, path = '/v1/samples'): WriteRequest => ({
    tenant: { merchantId, environment: 'sandbox' },
    method: 'POST',
    path,
    idempotencyKey,
    fingerprint: 'f'.repeat(64),
    requestId: newId('req_'),
  });

  it('return their answer when a claim did not see them, and the second effect is rolled back [C-29]', async () => {
    const first = await new IdempotentWrites(world.db, records, box).run(write('stale'), insertNote('stale'));
    const blind = new IdempotentWrites(world.db, new StaleRecords(world.db, CONFIG), box);
    const second = await blind.run(write('stale'), insertNote('stale'));
    expect(second.json).toBe(first.json);
    expect(second.headers['Idempotent-Replayed']).toBe('true');
    expect(await world.effects('stale')).toBe(1);
  });

  it('return their answer when a claim did not see them and the effect was refused for that reason [C-29]', async () => {
    const once = insertOnce('once');
    const first = await new IdempotentWrites(world.db, records, box).run(write('once'), once);
    const blind = new IdempotentWrites(world.db, new StaleRecords(world.db, CONFIG), box);
    expect((await blind.run(write('once'), once)).json).toBe(first.json);
    await expect(blind.run(write('twice'), once)).rejects.toMatchObject({
      code: 'invalid_state_transition',
    });
  });

  it('bind a secret to their place: moved to another key it does not open', async () => {
    const writes = new IdempotentWrites(world.db, records, box);
    await writes.run(write('place'), { ...insertNote('place'), keepsSecret: true });
    await query(world.db, `update idempotency_record set idempotency_key = $1 where idempotency_key = $2`, [
      'moved',
      'place',
    ]);
    await expect(writes.run(write('moved'), insertNote('place'))).rejects.toThrow('cannot be opened');
  });

  it('are found for pruning by the index of those that may be pruned', async () => {
    const { text, values } = compiled(deleteOldAnswers(24, 1_000));
    const plan = await world.db.transaction(async (tx) => {
      await query(tx, `set local plan_cache_mode = force_generic_plan`);
      return query<{ 'QUERY PLAN': string }>(tx, `explain ${text}`, values);
    });
    const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect(lines).toContain('idempotency_record_age');
    expect(lines).not.toContain('Seq Scan on idempotency_record');
  });

  it('are pruned when they are old, in batches, and those of accepted withdrawals never [C-38]', async () => {
    const keep = (path: string, age: string, count: number, status = 200): Promise<object[]> =>
      query(
        world.db,
        `insert into idempotency_record
           (merchant_id, environment, method, path, idempotency_key, fingerprint, status, body, encrypted, request_id, created_at)
         select $1, 'sandbox', 'POST', $2, concat($3::text, n, $5::int), '', $5::int, '', false, '', now() - $3::interval
           from generate_series(1, $4::int) as n`,
        [merchantId, path, age, count, status],
      );
    await keep('/v1/pruned', '25 hours', 2_100);
    await keep('/v1/pruned', '23 hours', 5);
    await keep('/v1/withdrawals', '1000 days', 3, 202);
    // A dry run has no effect that must not happen twice.
    await keep('/v1/withdrawals', '25 hours', 2);
    expect(await records.prune()).toBe(2_102);
    const left = await query(
      world.db,
      `select path, status, count(*)::int as n from idempotency_record where path in ('/v1/pruned', '/v1/withdrawals')
        group by path, status order by path`,
    );
    expect(left).toEqual([
      { path: '/v1/pruned', status: 200, n: 5 },
      { path: '/v1/withdrawals', status: 202, n: 3 },
    ]);
  });
});
