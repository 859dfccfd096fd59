import { readByGenericPlan } from '../../../test/support/query-plan.js';
import { query } from '../../../test/support/sql.js';
import { WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { compiled } from '../../platform/sql/sql.js';
import { acknowledge, type Made, moveOn } from './attempt-recorder.sql.js';

const TOKEN = 'lease';
const BATCH = 64;

let world: WebhookWorld;
beforeEach(async () => {
  world = await WebhookWorld.open();
});
afterEach(() => world.close());

/** Adds deliveries `first` to `last` of one endpoint, each of its own event and leased to us. */
async function lease(first: number, last: number): Promise<void> {
  await world.query(
    `with event_row as (
       insert into event (id, merchant_id, environment, type, resource_id, data, sequence, body)
       select 'evt_' || n, merchant_id, 'sandbox', 'ping', 'x', '{}', n, '{}'
         from webhook_endpoint cross join generate_series($2::int, $3::int) n)
     insert into delivery (id, event_id, endpoint_id, status, lease_until, lease_holder)
     select 'dlv_' || n, 'evt_' || n, id, 'pending', now() + interval '1 hour', $1
       from webhook_endpoint cross join generate_series($2::int, $3::int) n`,
    [TOKEN, first, last],
  );
}

/** The attempts of a batch of deliveries, from `first` on. */
function attemptsFrom(first: number): Made[] {
  const attempt = {
    startedAt: new Date(),
    durationMs: 5,
    signedAt: 1,
    responseStatus: 200,
    errorCode: null,
    errorMessage: null,
    responseHeaders: {},
    responseBody: '',
  };
  return Array.from({ length: BATCH }, (_, n) => ({
    delivery: { id: `dlv_${first + n}`, leaseToken: TOKEN, attempt: 1 },
    attempt,
  }));
}

it('a batch of attempts is recorded by the keys of its deliveries, though statistics say that none waits', async () => {
  await world.addEndpoint({});
  await lease(1, 5_000);
  await world.query(
    `update delivery set status = 'cancelled', finished_at = now(), lease_until = null, lease_holder = null`,
  );
  await query(world.home.owner, `vacuum analyze delivery`);
  await lease(5_001, 20_000);
  const batches = [acknowledge(attemptsFrom(6_000)), moveOn(attemptsFrom(9_000), { status: 'pending', retryInMs: 0 })];
  for (const batch of batches) {
    const { text, values } = compiled(batch);
    const { scans } = await readByGenericPlan(world.database, text, values);
    expect(scans).not.toContainEqual(expect.stringMatching(/^(Seq Scan on delivery|.* by delivery_(?!pkey))/));
  }
  const written = await world.query(
    `select status, count(*)::int from delivery where attempts = 1 group by 1 order by 1`,
  );
  expect(written).toEqual([
    { status: 'delivered', count: BATCH },
    { status: 'pending', count: BATCH },
  ]);
});
