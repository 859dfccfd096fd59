import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { addressOf, getIntent, intentWithAddress } from '../http/intents.js';
import { expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { Fleet } from '../support/fleet.js';
import { describeOnRedis } from '../support/redis-server.js';
import { SeededRandom } from '../support/seeded-random.js';
import { query } from '../support/sql.js';
import { printMeasured, timed } from './measured.js';
import { MerchantReceiver } from './merchant-receiver.js';

/** A sweep finds lost work in seconds; the rest is for a loaded machine (K-145: 30 s). */
const SWEPT_WITHIN_MS = 30_000;

describeOnRedis('a fleet whose Redis fails', () => {
  let fleet: Fleet;
  let receiver: MerchantReceiver;
  beforeAll(async () => {
    [fleet, receiver] = await Promise.all([
      Fleet.start({ counts: { api: 1, listener: 1 } }),
      MerchantReceiver.listen(new SeededRandom(1)),
    ]);
    await receiver.register(fleet.api());
  }, 120_000);
  afterAll(async () => {
    await fleet.stop();
    await receiver.close();
  });
  afterEach(() => expectBooksInOrder(fleet.db.database));

  const order = (): Promise<PaymentIntentObject> => intentWithAddress(fleet.api(), { network: 'bnb' });

  async function pay(intent: PaymentIntentObject): Promise<void> {
    const amount = BigInt(intent.crypto_amount ?? 0);
    await fleet.testnet.controls.pay({ to: addressOf(intent), token: 'USDC', amount });
  }

  const statusesOf = (intents: readonly PaymentIntentObject[]): Promise<string[]> =>
    Promise.all(intents.map(async ({ id }) => (await getIntent(fleet.api(), id)).status));

  /** Waits until the merchant has received the completion of every intent. */
  const untilDelivered = (intents: readonly PaymentIntentObject[]): Promise<boolean> =>
    eventually(() => {
      const completed = receiver.events.filter(({ type }) => type === 'payment_intent.completed');
      return intents.every(({ id }) => completed.some(({ data }) => data['id'] === id));
    }, SWEPT_WITHIN_MS);

  const queueHealth = async (): Promise<unknown[]> => {
    const answer = await fetch(`${fleet.one('worker').url}/health/ready`);
    const body: { dependencies: { queue: { status: string } } } = JSON.parse(await answer.text());
    return [answer.status, body.dependencies.queue.status];
  };

  it('loses nothing by FLUSHALL: a sweep finds the work that waited in it [K-145]', async () => {
    const intents = await Promise.all([order(), order(), order(), order()]);
    const workers = fleet.of('worker');
    for (const worker of workers) worker.pause();
    for (const intent of intents) await pay(intent);
    await eventually(async () => {
      const marks = await query(fleet.db.database, `select from dirty_intent`);
      return marks.length === intents.length && (await fleet.redis.keys()) > intents.length;
    }, SWEPT_WITHIN_MS);
    await fleet.redis.flush();
    for (const worker of workers) worker.resume();
    const took = await timed(() =>
      eventually(
        () => statusesOf(intents),
        (seen) => !seen.includes('requires_action'),
        SWEPT_WITHIN_MS,
      ),
    );
    printMeasured('FLUSHALL with every wake in Redis to the last intent settled', took);
    await untilDelivered(intents);
  }, 120_000);

  it.each<[what: string, change: (isIll: boolean) => Promise<void>]>([
    ['is out of memory', (isIll) => fleet.redis.fill(isIll)],
    ['has become a read-only replica', (isIll) => fleet.redis.demote(isIll)],
    ['is gone', (isIll) => (isIll ? fleet.redis.kill() : fleet.redis.boot())],
  ])(
    'serves, settles and delivers while Redis %s, and its health says so [K-145]',
    async (what, change) => {
      await change(true);
      expect(await eventually(queueHealth, ([, queue]) => queue === 'down')).toEqual([200, 'down']);
      const intents = await Promise.all([order(), order()]);
      for (const intent of intents) await pay(intent);
      const took = await timed(() => untilDelivered(intents));
      printMeasured(`payment to webhook of its end while Redis ${what}`, took);
      expect(await statusesOf(intents)).toEqual(['completed', 'completed']);
      await change(false);
      await eventually(
        async () => (await queueHealth())[1],
        (seen) => seen === 'ok',
        SWEPT_WITHIN_MS,
      );
      const next = await order();
      await pay(next);
      await untilDelivered([next]);
      expect(receiver.faults).toEqual([]);
    },
    120_000,
  );
});
