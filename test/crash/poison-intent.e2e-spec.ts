import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { addressOf, getIntent, intentWithAddress, untilStatus } from '../http/intents.js';
import { eventsOf, expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';

const RETRIES_LAST_MS = 25_000;

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

async function pay(intent: PaymentIntentObject, amount = BigInt(intent.crypto_amount ?? 0)): Promise<void> {
  await world.chain('polygon').pay({ to: addressOf(intent), token: 'USDC', amount });
}

/** Makes every settlement of this intent fail, like a defect that only this intent triggers. */
async function poison({ id }: PaymentIntentObject): Promise<void> {
  await query(
    world.owner,
    `create function poison() returns trigger language plpgsql as $$ begin raise exception 'poison'; end $$`,
  );
  await query(
    world.owner,
    `create trigger poison before update on payment_intent for each row when (old.id = '${id}') execute function poison()`,
  );
}

const heal = (): Promise<unknown> => query(world.owner, `drop trigger poison on payment_intent`);

it('an intent that cannot be settled is quarantined, the others settle, and the next fact brings it back [K-152]', async () => {
  const bad = await intentWithAddress(world.api);
  await poison(bad);
  await pay(bad);
  await eventually(async () => {
    const [mark] = await query<{ failures: number; last_error: string }>(
      world.database,
      `select failures, last_error from dirty_intent where intent_id = $1 and quarantined_at is not null`,
      [bad.id],
    );
    return mark?.failures === 5 && mark.last_error.includes('poison');
  }, RETRIES_LAST_MS);

  const others = await Promise.all(Array.from({ length: 5 }, () => intentWithAddress(world.api)));
  await Promise.all(others.map((intent) => pay(intent)));
  for (const { id } of others) await untilStatus(world.api, id, 'completed');
  expect((await getIntent(world.api, bad.id)).status).toBe('requires_action');

  await heal();
  await pay(bad, 1n);
  await untilStatus(world.api, bad.id, 'completed');
  await eventually(
    async () => (await getIntent(world.api, bad.id)).payments,
    (seen) => seen.every(({ status }) => status === 'confirmed'),
  );
  await expectBooksInOrder(world.database);
  const events = await eventsOf(world.database, bad.id);
  expect(events.filter((type) => type === 'completed')).toHaveLength(1);
});
