import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { BareOrder } from '../bare-webhooks.ts';
import { type Child, startChild } from '../child.ts';
import { newId } from '../compiled.ts';
import { ConsoleSession } from '../console-session.ts';
import { median, quantile } from '../duel.ts';
import { makeEndpoints, type MerchantEndpoint, post } from '../merchant-endpoints.ts';
import type { Received } from '../receiver.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';

const RATIO_MIN = 0.5;
const FRESH_P99_MAX_MS = 2_000;
const ENDPOINTS = 100;
/** Fresh events per second of the endpoint that a job replays to. */
const FRESH_PER_SECOND = 20;
const POLL_MS = 100;
const BEGUN = z.object({ replay_job_id: z.string(), already_running: z.literal(false) });
const JOB = z.object({ status: z.string() });

/** As large as the event of a completed intent. It has no `created_at`, so that the receiver times fresh events alone. */
const BODY = JSON.stringify({ id: newId('evt_'), event_type: 'ping', data: { filler: 'x'.repeat(1_200) } });

interface Sizes {
  readonly pairs: number;
  readonly deliveries: number;
  /** Fresh events beside a replay to one endpoint. */
  readonly events: number;
}

/** Measures replays of dead letters: their rate against a loop that signs and posts, and what fresh events wait beside one. */
export async function measureReplays(stage: Stage, { pairs, deliveries, events }: Sizes): Promise<Figure[]> {
  await stage.query(
    `create table if not exists bare_delivery (id bigint generated always as identity primary key, status int,
       duration_ms int, signed_at bigint)`,
  );
  const receiver = startChild('receiver.ts');
  const bare = startChild('bare-webhooks.ts', stage.databaseUrl);
  const session = await ConsoleSession.open(stage.service);
  try {
    const { quick } = await receiver.next<{ quick: number }>();
    const url = `http://127.0.0.1:${quick}/hooks`;
    const endpoints = await makeEndpoints(stage, url, ENDPOINTS);
    const order: BareOrder = { urls: [url], secret: 'whsec_bench', body: BODY, count: deliveries };
    const rates = { service: [] as number[], bare: [] as number[] };
    for (let pair = 0; pair <= pairs; pair += 1) {
      await loadDeadLetters(stage, endpoints, deliveries);
      const service = await replayed(session, receiver, { status: 'dead_letter' }, deliveries);
      bare.send(order);
      const yardstick = await bare.next<number>();
      if (pair === 0) continue;
      rates.service.push(service.perSecond);
      rates.bare.push(yardstick);
    }
    const ratio = median(rates.service.map((rate, index) => rate / (rates.bare[index] ?? Infinity)));
    const fresh = await besideReplay(stage, session, receiver, { endpoints, deliveries, events });
    return [
      {
        name: `replay of ${deliveries} dead letters`,
        measured: `${ratio.toFixed(2)} of a bare loop (${median(rates.service).toFixed(0)}/s : ${median(rates.bare).toFixed(0)}/s)`,
        limit: `>= ${RATIO_MIN}`,
        isMet: ratio >= RATIO_MIN,
      },
      {
        name: `fresh events of an endpoint beside a replay of ${deliveries} to it`,
        measured: `p99 ${fresh.p99Ms.toFixed(0)} ms, while it took ${fresh.perSecond.toFixed(0)} posts a second`,
        limit: `p99 < ${FRESH_P99_MAX_MS} ms`,
        isMet: fresh.p99Ms < FRESH_P99_MAX_MS,
      },
    ];
  } finally {
    await Promise.all([receiver.end(), bare.end(), session.close()]);
  }
}

/** Lets a job recover what the filter finds, and waits until the receiver has `count` posts and the job has ended. */
async function replayed(session: ConsoleSession, receiver: Child, filter: object, count: number): Promise<Received> {
  receiver.send({ count });
  await receiver.next();
  const [result, { text }] = await Promise.all([
    receiver.next<Received>(),
    session.ask('POST', '/replay-jobs', { verb: 'recover', ...filter }),
  ]);
  const { replay_job_id: id } = BEGUN.parse(JSON.parse(text));
  // The same order would be the same job as long as that is open.
  for (let status = ''; status !== 'done'; await sleep(POLL_MS)) {
    ({ status } = JOB.parse(JSON.parse((await session.ask('GET', `/replay-jobs/${id}`)).text)));
  }
  return result;
}

/** Times fresh events, at an even pace, of an endpoint that a job replays to meanwhile. */
async function besideReplay(
  stage: Stage,
  session: ConsoleSession,
  receiver: Child,
  { endpoints, deliveries, events }: { endpoints: readonly MerchantEndpoint[]; deliveries: number; events: number },
): Promise<{ readonly p99Ms: number; readonly perSecond: number }> {
  const [endpoint] = endpoints;
  if (endpoint === undefined) throw new Error('There is no endpoint.');
  await loadDeadLetters(stage, [endpoint], deliveries);
  const [{ latenciesMs, perSecond }] = await Promise.all([
    replayed(session, receiver, { endpoint_id: endpoint.id }, deliveries + events),
    freshEvents(stage, endpoint, events),
  ]);
  if (latenciesMs.length !== events) throw new Error(`${latenciesMs.length} of ${events} fresh events arrived.`);
  return { p99Ms: quantile(latenciesMs, 0.99), perSecond };
}

/** Makes fresh events of an endpoint at an even pace. */
async function freshEvents(stage: Stage, { id, apiKey }: MerchantEndpoint, count: number): Promise<void> {
  const startedAt = performance.now();
  const made: Promise<unknown>[] = [];
  for (let n = 0; n < count; n += 1) {
    made.push(post(stage, apiKey, `/v1/webhook-endpoints/${id}/test`, {}));
    await sleep(Math.max(0, startedAt + ((n + 1) * 1_000) / FRESH_PER_SECOND - performance.now()));
  }
  await Promise.all(made);
}

/** Adds dead letters, with the failed attempt that was their last, over these endpoints. */
async function loadDeadLetters(stage: Stage, endpoints: readonly MerchantEndpoint[], count: number): Promise<void> {
  await stage.query(
    `with owed as (
       select n, endpoint.id as endpoint_id, endpoint.merchant_id, 'evt_' || md5(random()::text || n) as event_id
         from generate_series(1, $2::int) n
         join unnest($1::text[], $3::text[]) with ordinality as endpoint (id, merchant_id, place)
           on place = n % cardinality($1::text[]) + 1),
     event_row as (
       insert into event (id, merchant_id, environment, type, resource_id, data, sequence, body)
       select event_id, merchant_id, 'sandbox', 'ping', 'bench', '{}',
              (select coalesce(max(sequence), 0) from event) + n, $4 from owed),
     dead as (
       insert into delivery (id, event_id, endpoint_id, status, attempts, finished_at, last_response_status)
       select 'dlv' || event_id, event_id, endpoint_id, 'dead_letter', 1, now(), 500 from owed returning id)
     insert into delivery_attempt (delivery_id, number, started_at, duration_ms, signed_at, response_status)
     select id, 1, now(), 20, 0, 500 from dead`,
    [endpoints.map(({ id }) => id), count, endpoints.map(({ merchantId }) => merchantId), BODY],
  );
}
