import { ROLES } from '../../src/platform/config.js';
import { eventsOf, expectBooksInOrder, pocketOf } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { Fleet } from '../support/fleet.js';
import { describeOnRedis } from '../support/redis-server.js';
import { SeededRandom } from '../support/seeded-random.js';
import { query } from '../support/sql.js';
import { Customers } from './customers.js';
import { Nemesis } from './nemesis.js';
import { MerchantReceiver } from './merchant-receiver.js';

/** Another seed is another plan; repeat a failed run with its seed. */
const SEED = Number(process.env['STORM_SEED'] ?? 20_261_121);
const STORM_MS = 60_000;
const HEALED_WITHIN_MS = 60_000;
const SHOPPERS = 6;

describeOnRedis('a fleet in a storm', () => {
  let fleet: Fleet;
  let receiver: MerchantReceiver;
  let customers: Customers;
  let nemesis: Nemesis;

  beforeAll(async () => {
    const random = new SeededRandom(SEED);
    [fleet, receiver] = await Promise.all([Fleet.start({ blockEveryMs: 250 }), MerchantReceiver.listen(random)]);
    await receiver.register(fleet.api());
    customers = new Customers(fleet, random, SHOPPERS);
    nemesis = new Nemesis(fleet, random);
    await nemesis.rage(STORM_MS);
    const healingFrom = performance.now();
    await customers.stop();
    await drained();
    report(performance.now() - healingFrom);
  }, 300_000);
  afterAll(async () => {
    await fleet.stop();
    await receiver.close();
  });

  const count = async (from: string): Promise<number> => {
    const [row] = await query<{ n: string }>(fleet.db.database, `select count(*) as n from ${from}`);
    return Number(row?.n);
  };

  /** Waits until all work is done: every paid intent is complete, every event has its sequence and is delivered. */
  async function drained(): Promise<void> {
    await eventually(async () => {
      const left = {
        intents: await count(`payment_intent where address is not null and status <> 'completed'`),
        events: await count(`event where sequence is null`),
        deliveries: await count(`delivery where status <> 'delivered'`),
      };
      expect(left).toEqual({ intents: 0, events: 0, deliveries: 0 });
      return true;
    }, HEALED_WITHIN_MS);
  }

  function report(drainMs: number): void {
    const strikes = ROLES.map((kind) => `${kind}=${nemesis.killed[kind]}+${nemesis.stopped[kind]}`).join(' ');
    const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)}s`;
    process.stdout.write(
      `STORM seed=${SEED} killed+stopped: ${strikes}, ${nemesis.disasters.join(', ')}; requests=${customers.requests} ` +
        `dropped=${customers.dropped} intents=${customers.paid.length} events=${receiver.byId.size} ` +
        `attempts=${receiver.attempts} refused=${receiver.refused} recover_max=${seconds(customers.slowestMs)} ` +
        `start_max=${seconds(nemesis.slowestStartMs)} drain=${seconds(drainMs)}\n`,
    );
  }

  it('happened: each role was killed, each fault came, and customers bought all the time', () => {
    const calm = ROLES.filter((kind) => nemesis.killed[kind] === 0);
    expect(calm).toEqual([]);
    expect(nemesis.disasters).toHaveLength(3);
    expect(customers.dropped).toBeGreaterThan(0);
    expect(receiver.refused).toBeGreaterThan(0);
    expect(customers.paid.length).toBeGreaterThan(SHOPPERS * 2);
  });

  it('credits every payment exactly once, and loses and doubles no intent [K-143] [K-145]', async () => {
    await expectBooksInOrder(fleet.db.database);
    const paid = customers.paid.reduce((sum, { amount }) => sum + amount, 0n);
    expect(await pocketOf(fleet.db.database, fleet.account.merchantId, 'bnb')).toBe(paid);
    expect(new Set(customers.paid.map(({ address }) => address)).size).toBe(customers.paid.length);
    expect(await count('payment_intent')).toBe(customers.paid.length);
    expect(await count('dirty_intent')).toBe(0);
  });

  it('delivers every event at least once, in sequence without a gap, and each intent has its expected events', async () => {
    expect(receiver.faults).toEqual([]);
    const { events } = receiver;
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, place) => place + 1));
    expect(events).toHaveLength(await count('event'));
    for (const { intentId, parts } of customers.paid) {
      const received = Array.from({ length: parts }, () => 'payment_received');
      expect((await eventsOf(fleet.db.database, intentId)).toSorted()).toEqual(
        ['completed', ...received, 'processing'].toSorted(),
      );
    }
  });

  it('answers no client with an internal error, and a repeated write with the same bytes [C-33]', async () => {
    expect(customers.surprises).toEqual([]);
    for (const { path, body, idempotencyKey, text } of customers.answered) {
      const again = await eventually(() => customers.ask('POST', path, body, idempotencyKey));
      expect(again).toBe(text);
    }
  }, 120_000);
});
