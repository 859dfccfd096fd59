import { AuthWorld } from '../../test/auth/sample-app.js';
import { codeOf } from '../../test/auth/sample-server.js';
import { RateLimiter, type RateDecision } from './rate-limiter.js';
import { query } from '../../test/support/sql.js';

const admittedOf = (verdicts: readonly RateDecision[]): number => verdicts.filter(({ admitted }) => admitted).length;

describe('The rate limit', () => {
  let world: AuthWorld;

  beforeAll(async () => {
    world = await AuthWorld.create();
  });
  afterAll(() => world.close());

  it('admits exactly one burst, when two processes take at once', async () => {
    const limit = { perSecond: 1, burst: 60 };
    const processes = [new RateLimiter(world.db, limit), new RateLimiter(world.db, limit)];
    const { id } = await world.key();
    const startedAt = performance.now();
    const verdicts = await Promise.all(Array.from({ length: 200 }, (_, i) => processes[i % 2]!.take(id)));
    const elapsed = (performance.now() - startedAt) / 1000;
    expect(admittedOf(verdicts)).toBeGreaterThanOrEqual(60);
    expect(admittedOf(verdicts)).toBeLessThanOrEqual(60 + elapsed);
  });

  it('admits at most rate x time + burst, and nearly as many, when two processes take without a pause', async () => {
    const limit = { perSecond: 400, burst: 50 };
    const { id } = await world.key();
    const startedAt = performance.now();
    const elapsed = (): number => (performance.now() - startedAt) / 1000;
    const drain = async (limiter: RateLimiter): Promise<number> => {
      let admitted = 0;
      while (elapsed() < 1) {
        admitted += admittedOf(await Promise.all(Array.from({ length: 10 }, () => limiter.take(id))));
        await query(world.db, `select 1`);
      }
      return admitted;
    };
    const counts = await Promise.all([
      drain(new RateLimiter(world.db, limit)),
      drain(new RateLimiter(world.db, limit)),
    ]);
    const total = counts.reduce((sum, count) => sum + count);
    expect(total).toBeLessThanOrEqual(limit.burst + limit.perSecond * elapsed());
    expect(total).toBeGreaterThan(limit.burst + limit.perSecond / 4);
  });

  it('leases in batches: a busy key costs few updates, and a refused one none', async () => {
    const limiter = new RateLimiter(world.db, { perSecond: 1, burst: 100_000 });
    const busy = new RateLimiter(world.db, { perSecond: 4_000, burst: 100_000 });
    const updates = async (): Promise<number> => {
      await query(world.db, `select pg_stat_force_next_flush()`);
      const [row] = await query<{ n: string }>(
        world.db,
        `select n_tup_upd as n from pg_stat_user_tables where relname = 'rate_bucket'`,
      );
      return Number(row?.n);
    };
    const { id } = await world.key();
    const before = await updates();
    for (let i = 0; i < 2_000; i++) await busy.take(id);
    const afterBusy = await updates();
    expect(afterBusy - before).toBeLessThan(50);
    const { id: spent } = await world.key();
    await query(world.db, `insert into rate_bucket values ($1, 0, clock_timestamp())`, [spent]);
    for (let i = 0; i < 500; i++) expect((await limiter.take(spent)).admitted).toBe(false);
    expect((await updates()) - afterBusy).toBeLessThan(5);
  });

  it('returns leased tokens that were not spent in time to the bucket', async () => {
    const limiter = new RateLimiter(world.db, { perSecond: 160, burst: 40 });
    const { id } = await world.key();
    await Promise.all(Array.from({ length: 20 }, () => limiter.take(id)));
    await query(world.db, `update rate_bucket set refilled_at = 'infinity' where api_key_id = $1`, [id]);
    const inBucket = async (): Promise<number | undefined> => {
      const [row] = await query<{ tokens: number }>(
        world.db,
        `select floor(tokens) as tokens from rate_bucket where api_key_id = $1`,
        [id],
      );
      return row?.tokens;
    };
    const full = await inBucket();
    const leasedAt = performance.now();
    await limiter.take(id);
    expect(await inBucket()).toBe(0);
    while (performance.now() - leasedAt < 300) await query(world.db, `select 1`);
    await limiter.take(id);
    // One token was spent of each of two leases, and of the second, of two tokens, one is held.
    expect(await inBucket()).toBe((full ?? 0) - 3);
  });

  it('does not grow beyond the burst while a key is idle: a day later there is one burst, and not a day of requests', async () => {
    const limiter = new RateLimiter(world.db, { perSecond: 1, burst: 3 });
    const { id } = await world.key();
    await query(world.db, `insert into rate_bucket values ($1, 3, clock_timestamp() - interval '1 day')`, [id]);
    const startedAt = performance.now();
    const verdicts: RateDecision[] = [];
    for (let i = 0; i < 10; i++) verdicts.push(await limiter.take(id));
    const elapsed = (performance.now() - startedAt) / 1000;
    expect(admittedOf(verdicts)).toBeGreaterThanOrEqual(3);
    expect(admittedOf(verdicts)).toBeLessThanOrEqual(3 + elapsed);
  });

  it('limits each key separately', async () => {
    const limiter = new RateLimiter(world.db, { perSecond: 1, burst: 1 });
    const [one, two] = [await world.key(), await world.key()];
    expect((await limiter.take(one.id)).admitted).toBe(true);
    expect((await limiter.take(one.id)).admitted).toBe(false);
    expect((await limiter.take(two.id)).admitted).toBe(true);
  });

  it('reports the remaining tokens and the time to retry over HTTP', async () => {
    const server = await world.serve({}, { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '3' });
    const { key } = await world.key();
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await server.get('/v1/samples', key));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers.map(({ headers }) => headers['ratelimit-policy'])).toEqual(
      Array.from({ length: 4 }, () => '"key";q=3;w=3'),
    );
    expect(answers.map(({ headers }) => headers['ratelimit'])).toEqual([
      '"key";r=2;t=1',
      '"key";r=1;t=2',
      '"key";r=0;t=3',
      '"key";r=0;t=1',
    ]);
    const refused = answers[3]!;
    expect([codeOf(refused), refused.headers['retry-after']]).toEqual(['rate_limited', '1']);
  });

  it('sends no headers when it is off, and on public routes', async () => {
    const off = await world.serve();
    const on = await world.serve({}, { RATE_LIMIT_PER_SECOND: '1' });
    const { key } = await world.key();
    expect((await off.get('/v1/samples', key)).headers['ratelimit']).toBeUndefined();
    expect((await on.send('GET', '/hello')).headers['ratelimit']).toBeUndefined();
  });
});
