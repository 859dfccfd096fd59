import { type PlanMode, readByPlan } from '../../../test/support/query-plan.js';
import { query } from '../../../test/support/sql.js';
import { WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { compiled, type SqlText } from '../../platform/sql/sql.js';
import { type ReplayFilter, stepsOf } from './replay-filter.js';
import { insertTargets } from './replay-order.sql.js';
import { endJobs, lockChosen, lockTargets, targetsWithRoom } from './replay-targets.sql.js';
import { nextOfStep } from './replay-walk.sql.js';

const DEAD_LETTERS = 10_000;
const BACKLOG = 5_000;
/** Reading all dead letters of the endpoint, or all that waits for it, takes thousands of pages: no two neighbours are on one. */
const PAGES_MAX = 600;
const OPEN_MAX = 20;
/** A running job with targets, and one whose targets are ordered. */
const [JOB, ORDERED] = ['rpl_1', 'rpl_2'];
const BOUND = '2100-01-01T00:00:00Z';

let world: WebhookWorld;
let endpointId: string;

beforeAll(async () => {
  world = await WebhookWorld.open();
  endpointId = (await world.addEndpoint()).id;
  const owned = [world.tenant.merchantId, endpointId] as const;
  await world.home.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = 'replica'`);
    await query(tx, `set local statement_timeout = 0`);
    // As after an outage: the statistics know nothing of the dead letters.
    await query(tx, `alter table delivery set (autovacuum_enabled = off)`);
    await query(
      tx,
      `insert into webhook_endpoint (id, merchant_id, environment, url, event_types, secret, created_at, updated_at)
       select 'we_other' || n, $1, 'sandbox', 'https://example.com/', '{ping}', '', now(), now() from generate_series(1, 20) n`,
      [owned[0]],
    );
    for (const [status, count] of [
      ['dead_letter', DEAD_LETTERS],
      ['pending', BACKLOG],
    ] as const) {
      await query(
        tx,
        `insert into delivery (id, event_id, endpoint_id, merchant_id, environment, event_type, status, attempts, created_at,
                               finished_at, last_response_status)
         select $3 || n, 'evt_' || $3 || n, $2, $1, 'sandbox', 'payment_intent.completed', $3, 6, now() - n * interval '1 second',
                case when $3 = 'dead_letter' then now() end, 500 from generate_series(1, $4::int) n order by md5(n::text)`,
        [...owned, status, count],
      );
    }
    await query(
      tx,
      `insert into replay_job (id, environment, verb, criteria, filter_key, requested_by, status, created_at, updated_at)
       select id, 'sandbox', 'recover', '{}', id, 'kim@example.com', case when id = $2 then 'running' else 'paused' end, now(), now() from unnest($1::text[]) id`,
      [[JOB, ORDERED], JOB],
    );
    await query(
      tx,
      `insert into replay_target (job_id, endpoint_id, status, reached_at)
       select $1, id, 'open', '1970-01-01' from webhook_endpoint`,
      [JOB],
    );
  });
});
afterAll(() => world.close());

const ids = Array.from({ length: OPEN_MAX }, (_, n) => `dead_letter${n + 1}`);
const order = (filter: ReplayFilter) => insertTargets(ORDERED, 'sandbox', filter, stepsOf('recover', filter));
const walk = (criteria: ReplayFilter) =>
  nextOfStep({ jobId: JOB, step: 'dead_letter', criteria, bound: BOUND, limit: OPEN_MAX }, [
    { endpointId, reachedAt: '1970-01-01T00:00:00Z', reachedId: '' },
  ]);

/** The statements of an order and of a batch, by what they do. */
const STATEMENTS: Readonly<Record<string, () => SqlText>> = {
  'an order for an endpoint': () => order({ endpoint_id: endpointId }),
  'an order for all endpoints': () => order({}),
  'an order for a class that no answer has': () => order({ endpoint_id: endpointId, response: '4xx' }),
  'an order for a type that no event has': () => order({ event_type: 'ping' }),
  'an order for a selection': () => order({ delivery_ids: ids }),
  'an order for an event': () => order({ event_id: 'evt_dead_letter7' }),
  'the search for targets with room': () => targetsWithRoom(OPEN_MAX, 25, null),
  'the lock of targets': () => lockTargets(JOB, [endpointId, 'we_other1'], OPEN_MAX),
  'a walk': () => walk({}),
  'a walk over a selection': () => walk({ delivery_ids: ids }),
  'a walk over an event': () => walk({ event_id: 'evt_dead_letter7' }),
  'the lock of dead letters': () => lockChosen('dead_letter', ids),
  'the lock of waiting deliveries': () => lockChosen('pending', ['pending1', 'pending2']),
  'the end of jobs': () => endJobs,
};

describe.each(['custom', 'generic'] as const)('by a %s plan', (mode: PlanMode) => {
  it.each(Object.keys(STATEMENTS))('%s does not read all deliveries of the endpoint', async (name) => {
    const { text, values } = compiled(STATEMENTS[name]?.() ?? endJobs);
    const { pages, scans } = await readByPlan(mode, world.database, text, values);
    expect(scans.filter((scan) => scan.startsWith('Seq Scan on delivery'))).toEqual([]);
    expect(pages).toBeLessThan(PAGES_MAX);
    await query(world.home.owner, `delete from replay_target where job_id = $1`, [ORDERED]);
  });
});
