import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { ROLES } from '../../src/platform/config.js';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import { eventsOf, expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { Fleet } from '../support/fleet.js';
import { describeOnRedis } from '../support/redis-server.js';
import { chainLease, cursorOf, epochOf, leaderOf, leads, SCHEDULER } from './elections.js';
import { printMeasured, timed } from './measured.js';

/** The design says 5 s; the rest is for a loaded machine. */
const TAKEN_OVER_WITHIN_MS = 15_000;
/** A leader that was paused inside a transaction holds its lease until PostgreSQL ends the transaction, after 10 s. */
const TAKEN_OVER_FROM_PAUSED_WITHIN_MS = 30_000;
const STOPPED_WITHIN_MS = 10_000;

describeOnRedis('several processes', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await Fleet.start();
  }, 120_000);
  afterAll(() => fleet.stop());
  afterEach(() => expectBooksInOrder(fleet.db.database));

  const order = (): Promise<PaymentIntentObject> => intentWithAddress(fleet.api(), { network: 'bnb' });

  async function pay(intent: PaymentIntentObject): Promise<void> {
    const amount = BigInt(intent.crypto_amount ?? 0);
    await fleet.testnet.controls.pay({ to: addressOf(intent), token: 'USDC', amount });
  }

  async function expectCreditedOnce({ id }: PaymentIntentObject): Promise<void> {
    await eventually(async () => (await untilStatus(fleet.api(), id, 'completed')).id, 30_000);
    expect(await eventsOf(fleet.db.database, id)).toEqual(['processing', 'payment_received', 'completed']);
  }

  it('continue to read with another listener when the leading one is killed [K-143]', async () => {
    const lease = await chainLease(fleet);
    const { leader } = await leaderOf(fleet, 'listener', lease);
    const before = await cursorOf(fleet);
    const took = await timed(async () => {
      await leader.end('SIGKILL');
      await eventually(
        () => cursorOf(fleet),
        ({ height, epoch }) => epoch > before.epoch && height > before.height,
        TAKEN_OVER_WITHIN_MS,
      );
    });
    printMeasured('kill -9 of the leading listener to the next block recorded', took);
    await leader.start();
  });

  it('take prices and settle with another worker when the leading one is killed [K-143]', async () => {
    const { leader } = await leaderOf(fleet, 'worker', SCHEDULER);
    const intent = await order();
    const epoch = await epochOf(fleet, SCHEDULER);
    const took = await timed(async () => {
      await leader.end('SIGKILL');
      await eventually(
        () => epochOf(fleet, SCHEDULER),
        (seen) => seen > epoch,
        TAKEN_OVER_WITHIN_MS,
      );
    });
    printMeasured('kill -9 of the leading worker to another scheduler', took);
    await pay(intent);
    await expectCreditedOnce(intent);
    await leader.start();
  });

  it('fence out a listener that was paused for longer than its lease, and read every payment once [K-147]', async () => {
    const lease = await chainLease(fleet);
    const { leader, standby } = await leaderOf(fleet, 'listener', lease);
    const before = await cursorOf(fleet);
    const intent = await order();
    const took = await timed(async () => {
      leader.pause();
      await pay(intent);
      await eventually(
        async () => (await cursorOf(fleet)).epoch,
        (seen) => seen > before.epoch,
        TAKEN_OVER_FROM_PAUSED_WITHIN_MS,
      );
    });
    printMeasured('SIGSTOP of the leading listener to another one', took);
    const successor = await cursorOf(fleet);
    leader.resume();
    await eventually(() => !leads(leader, lease));
    await expectCreditedOnce(intent);
    // Reading continues, only under the epoch of the new leader.
    await eventually(
      async () => (await cursorOf(fleet)).height,
      (seen) => seen > successor.height,
    );
    expect((await cursorOf(fleet)).epoch).toBe(successor.epoch);
    expect(leads(standby, lease)).toBe(true);
  }, 120_000);

  it('stop in order on SIGTERM, within 10 s, and let a successor take over at once [K-149]', async () => {
    const lease = await chainLease(fleet);
    const { leader } = await leaderOf(fleet, 'listener', lease);
    const before = await cursorOf(fleet);
    const intent = await order();
    await pay(intent);
    for (const kind of ROLES) {
      const member = kind === 'listener' ? leader : fleet.one(kind);
      let exit = {};
      const took = await timed(async () => (exit = await member.end('SIGTERM')));
      expect([kind, exit]).toEqual([kind, { code: 0, signal: null }]);
      expect(took).toBeLessThan(STOPPED_WITHIN_MS);
      printMeasured(`SIGTERM of a process with the role ${kind} to its end`, took);
      if (kind === 'listener') {
        const until = await timed(() =>
          eventually(
            async () => (await cursorOf(fleet)).epoch,
            (seen) => seen > before.epoch,
            TAKEN_OVER_WITHIN_MS,
          ),
        );
        printMeasured('end of the leading listener to the next block recorded', until);
      }
      await member.start();
    }
    await expectCreditedOnce(intent);
  }, 120_000);
});
