import { readByGenericPlan } from '../../../test/support/query-plan.js';
import { WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import type { SqlParameter } from '../../platform/database/database.js';
import { ACKNOWLEDGE_STATEMENT, MOVE_ON_STATEMENT } from './attempt-recorder.sql.js';

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

/** The parameters that record a batch of attempts, of the deliveries from `first` on. */
function attemptsFrom(first: number, status: string): SqlParameter[] {
  const each = (value: SqlParameter): SqlParameter[] => Array.from({ length: BATCH }, () => value);
  const ids = Array.from({ length: BATCH }, (_, n) => `dlv_${first + n}`);
  const made = [each(TOKEN), each(1), each(new Date()), each(5), each(1), each(200), each(null), each(null)];
  return [status, 0, ids, ...made, each('{}'), each('')];
}

it('a batch of attempts is recorded by the keys of its deliveries, though statistics say that none waits', async () => {
  await world.addEndpoint({});
  await lease(1, 5_000);
  await world.query(
    `update delivery set status = 'cancelled', finished_at = now(), lease_until = null, lease_holder = null`,
  );
  await world.home.owner.query(`vacuum analyze delivery`);
  await lease(5_001, 20_000);
  const batches = [
    [ACKNOWLEDGE_STATEMENT, attemptsFrom(6_000, 'delivered')],
    [MOVE_ON_STATEMENT, attemptsFrom(9_000, 'pending')],
  ] as const;
  for (const [statement, parameters] of batches) {
    const { scans } = await readByGenericPlan(world.database, statement, parameters);
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
