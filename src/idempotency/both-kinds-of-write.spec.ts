import { randomUUID } from 'node:crypto';
import { AuthWorld } from '../../test/auth/sample-app.js';
import { type Answer, codeOf, type SampleServer } from '../../test/auth/sample-server.js';
import { query } from '../../test/support/sql.js';

describe.each([
  ['A write with an idempotency key', '/v1/samples'],
  ['A write of one statement', '/v1/samples/at-once'],
])('%s', (_kind, path) => {
  let world: AuthWorld;
  let server: SampleServer;
  let key: string;

  beforeAll(async () => {
    ({ world, server, key } = await AuthWorld.served());
  });
  afterAll(() => world.close());

  const create = (idempotencyKey: string, note: string): Promise<Answer> =>
    server.post(path, key, idempotencyKey, { note });

  it('[C-29] has one effect and one set of bytes when sent fifty times at once, over two processes', async () => {
    const other = await world.serve();
    for (let round = 0; round < 5; round++) {
      const note = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) => (i % 2 ? server : other).post(path, key, note, { note })),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
      expect(await world.effects(note)).toBe(1);
    }
  });

  it('[C-30] is refused when the key comes with another body', async () => {
    await create('reused', 'reused');
    const other = await create('reused', 'other');
    expect([other.status, codeOf(other)]).toEqual([422, 'idempotency_key_reused']);
    expect(await world.effects('other')).toBe(0);
  });

  it('[C-34] leaves nothing behind when its commit is refused', async () => {
    await query(
      world.db,
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
    );
    await query(
      world.db,
      `create constraint trigger refuse after insert on sample deferrable initially deferred
         for each row when (new.note = 'refused') execute function refuse()`,
    );
    expect((await create('refused', 'refused')).status).toBe(500);
    expect(await world.effects('refused')).toBe(0);
    await query(world.db, 'drop function refuse cascade');
    expect((await create('refused', 'refused')).status).toBe(201);
  });
});
