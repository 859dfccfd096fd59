import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { eventually } from '../../test/support/eventually.js';
import { LogLines } from '../../test/support/log-lines.js';
import { gate } from '../../test/support/queue-rig.js';
import { query, queryOne } from '../../test/support/sql.js';
import { Database } from './database/database.js';
import type { Statement } from './sql/sql.js';
import { assertLease, LeaseKeeper, LeaseLost } from './leases.js';
import { createLogger } from './logging.js';

const LEASE = 'relay';
/** For leases that end in a test. Those that must not end, and seconds that are measured, have the default. */
const BRIEF_MS = 1_000;
const DEFAULT_MS = 4_000;
/** A callback of a candidate, and its time by the monotonic clock. */
type Callback = { readonly what: string; readonly atMs: number };

let test: TestDatabase;
let keepers: LeaseKeeper[];
beforeEach(async () => {
  test = await freshDatabase();
  keepers = [];
});
afterEach(async () => {
  await Promise.all(keepers.map((keeper) => keeper.stop()));
  await test.drop();
});

/** The service's database with a connection that can be cut. */
class Cable extends Database {
  cut = false;

  override rows<Row>(statement: Statement<Row>): Promise<Row[]> {
    return this.cut ? Promise.reject(new Error('cut off')) : super.rows(statement);
  }
}

/** One process that takes part in the election. */
class Contender {
  readonly callbacks: Callback[] = [];
  readonly log = new LogLines();
  readonly cable = new Cable(test.orm);
  readonly keeper: LeaseKeeper;

  constructor(leaseTtlMs = BRIEF_MS) {
    this.keeper = new LeaseKeeper(this.cable, { leaseTtlMs }, createLogger('info', { destination: this.log }));
    keepers.push(this.keeper);
    this.keeper.elect(LEASE, {
      onElected: (epoch) => this.hear(`elected ${epoch}`),
      onLost: () => this.hear('lost'),
    });
  }

  hear(what: string): void {
    this.callbacks.push({ what, atMs: performance.now() });
  }

  heard(what: string): Promise<Callback> {
    return eventually(() => this.callbacks.find((callback) => callback.what === what));
  }

  get words(): string[] {
    return this.callbacks.map(({ what }) => what);
  }
}

/** Waits until the lease would have ended without renewals. */
async function outlast(): Promise<void> {
  const [row] = await query<{ ends: string }>(test.database, `select expires_at as ends from lease where name = $1`, [
    LEASE,
  ]);
  await eventually(async () => {
    const [now] = await query<{ over: boolean }>(test.database, `select clock_timestamp() > $1 as over`, [
      String(row?.ends),
    ]);
    return now?.over;
  });
}

it('elects one of many candidates that start at once, and keeps it while it renews', async () => {
  const contenders = Array.from({ length: 8 }, () => new Contender(DEFAULT_MS));
  const leader = await eventually(() => contenders.find(({ callbacks }) => callbacks.length > 0));
  await outlast();
  expect(contenders.flatMap(({ words }) => words)).toEqual(['elected 1']);
  expect(contenders.filter(({ keeper }) => keeper.holds(LEASE))).toEqual([leader]);
});

it('replaces a leader without a connection within 5 s, after it resigned, and refuses its late write [K-147]', async () => {
  const first = new Contender(DEFAULT_MS);
  await first.heard('elected 1');
  const second = new Contender(DEFAULT_MS);
  const cutAtMs = performance.now();
  first.cable.cut = true;
  const elected = await second.heard('elected 2');
  const lost = await first.heard('lost');
  expect(elected.atMs - cutAtMs).toBeLessThan(5_500);
  expect(lost.atMs).toBeLessThan(elected.atMs);
  expect(first.keeper.holds(LEASE)).toBe(false);

  const late = test.database.transaction(async (tx) => {
    await assertLease(tx, LEASE, 1);
    await queryOne(tx, `update lease set holder = 'late' where name = $1 returning 1`, [LEASE]);
  });
  await expect(late).rejects.toThrow(new LeaseLost(LEASE, 1));
  await test.database.transaction((tx) => assertLease(tx, LEASE, 2));
});

it('allows no take-over while a leader without a connection still writes', async () => {
  const first = new Contender();
  await first.heard('elected 1');
  const second = new Contender();
  const [asserted, held] = [gate(), gate()];
  const write = test.database.transaction(async (tx) => {
    await assertLease(tx, LEASE, 1);
    asserted.open();
    await held.passed;
  });
  await asserted.passed;
  first.cable.cut = true;
  await outlast();
  await eventually(
    () => first.words,
    (seen) => seen.includes('lost'),
  );
  // One more round of the second at least.
  const rounds = second.cable;
  const asked = new Promise<void>((resolve) => {
    const read = rounds.rows.bind(rounds);
    rounds.rows = async <Row>(statement: Statement<Row>): Promise<Row[]> => {
      const rows = await read(statement);
      resolve();
      return rows;
    };
  });
  await asked;
  expect(second.words).toEqual([]);
  held.open();
  await write;
  await second.heard('elected 2');
});

it('renews in time although the leader writes in a transaction longer than the lease', async () => {
  const leader = new Contender(DEFAULT_MS);
  await leader.heard('elected 1');
  await test.database.transaction(async (tx) => {
    await assertLease(tx, LEASE, 1);
    await outlast();
    expect(leader.keeper.holds(LEASE)).toBe(true);
  });
  expect(leader.words).toEqual(['elected 1']);
});

it('resigns by its own clock after a pause longer than the lease, before any callback [K-147]', async () => {
  const leader = new Contender();
  await leader.heard('elected 1');
  // Stops this whole process as SIGSTOP would.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BRIEF_MS + 100);
  expect(leader.keeper.holds(LEASE)).toBe(false);
  expect(leader.words).toEqual(['elected 1']);
  await leader.heard('elected 2');
  expect(leader.words).toEqual(['elected 1', 'lost', 'elected 2']);
});

it('elects a successor at once after an orderly stop, once the leader has finished', async () => {
  const first = new Contender(DEFAULT_MS);
  const wound: string[] = [];
  first.keeper.elect('other', {
    onElected: () => first.hear('other elected'),
    onLost: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      wound.push('up');
    },
  });
  await first.heard('other elected');
  const second = new Contender(DEFAULT_MS);
  const stoppedAtMs = performance.now();
  await first.keeper.stop();
  expect(wound).toEqual(['up']);
  const elected = await second.heard('elected 2');
  expect(elected.atMs - stoppedAtMs).toBeLessThan(2_500);
});

it('elects again when the leader fails to start', async () => {
  const contender = new Contender();
  let starts = 0;
  contender.keeper.elect('fragile', {
    onElected: (epoch) => {
      starts++;
      if (starts === 1) throw new Error('no chain');
      contender.hear(`fragile ${epoch}`);
    },
    onLost: () => undefined,
  });
  await contender.heard('fragile 2');
  expect(contender.log.named('The elected leader did not start.')).toEqual([
    expect.objectContaining({ lease: 'fragile', err: expect.objectContaining({ message: 'no chain' }) }),
  ]);
});
