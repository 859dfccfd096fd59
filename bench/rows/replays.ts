import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { BareOrder } from '../bare-webhooks.ts';
import { type Child, startChild } from '../child.ts';
import { newId } from '../compiled.ts';
import { ConsoleSession } from '../console-session.ts';
import { loadDeadLetters } from '../dead-letters.ts';
import { median, quantile } from '../duel.ts';
import { makeEndpoints, type MerchantEndpoint, post } from '../merchant-endpoints.ts';
import type { Received } from '../receiver.ts';
import type { Figure } from '../report.ts';
import { setStage, type Stage } from '../stage.ts';

const RATIO_MIN = 0.5;
const FRESH_P99_MAX_MS = 2_000;
/** Fresh events per second of the endpoint that a job replays to. */
const FRESH_PER_SECOND = 20;
const POLL_MS = 100;
const BEGUN = z.object({ replay_job_id: z.string(), already_running: z.literal(false) });
const JOB = z.object({ status: z.string(), sent: z.number(), delivered: z.number() });

/** As large as the event of a completed intent. It has no `created_at`, so that the receiver times fresh events alone. */
const BODY = JSON.stringify({ id: newId('evt_'), event_type: 'ping', data: { filler: 'x'.repeat(1_200) } });

interface Sizes {
  readonly pairs: number;
  /** Dead letters of each replay. */
  readonly replayed: number;
  /** Fresh events beside a replay. */
  readonly events: number;
}

/** An endpoint on a receiver of this machine, and the console that replays to it. */
interface Scene {
  readonly stage: Stage;
  readonly receiver: Child;
  readonly url: string;
  readonly endpoint: MerchantEndpoint;
  readonly session: ConsoleSession;
}

/**
 * Measures replays of dead letters to one endpoint, in stages below `dir`: without a limit for the endpoint their rate
 * against a loop that signs, posts and records, and with it the time that fresh events of the endpoint take meanwhile.
 */
export async function measureReplays(dir: string, sizes: Sizes): Promise<Figure[]> {
  const rate = await onStage(join(dir, 'unlimited'), { WEBHOOK_IN_FLIGHT_PER_ENDPOINT: '0' }, (scene) =>
    replayRate(scene, sizes),
  );
  return [rate, await onStage(join(dir, 'limited'), {}, (scene) => besideReplay(scene, sizes))];
}

async function onStage(
  dir: string,
  own: Readonly<Record<string, string>>,
  measure: (scene: Scene) => Promise<Figure>,
): Promise<Figure> {
  const stage = await setStage(dir, own);
  const receiver = startChild('receiver.ts');
  const session = await ConsoleSession.open(stage.service);
  try {
    const { quick } = await receiver.next<{ quick: number }>();
    const url = `http://127.0.0.1:${quick}/hooks`;
    const [endpoint] = await makeEndpoints(stage, url, 1);
    if (endpoint === undefined) throw new Error('The endpoint was not made.');
    return await measure({ stage, receiver, url, endpoint, session });
  } finally {
    await Promise.all([receiver.end(), session.close()]);
    await stage.close();
  }
}

async function replayRate(scene: Scene, { pairs, replayed: count }: Sizes): Promise<Figure> {
  const { stage, endpoint, url } = scene;
  await stage.query(
    `create table bare_delivery (id bigint generated always as identity primary key, status int, duration_ms int,
       signed_at bigint)`,
  );
  const bare = startChild('bare-webhooks.ts', stage.databaseUrl);
  try {
    const order: BareOrder = { urls: [url], secret: 'whsec_bench', body: BODY, count };
    const rates = { service: [] as number[], bare: [] as number[] };
    for (let pair = 0; pair <= pairs; pair++) {
      await loadDeadLetters(stage, endpoint, { count, body: BODY });
      const { perSecond } = await replay(scene, count);
      bare.send(order);
      const yardstick = await bare.next<number>();
      if (pair === 0) continue;
      rates.service.push(perSecond);
      rates.bare.push(yardstick);
    }
    const ratio = median(rates.service.map((rate, index) => rate / (rates.bare[index] ?? Infinity)));
    return {
      name: `replay of ${count} dead letters, no limit for the endpoint`,
      measured: `${ratio.toFixed(2)} of a bare loop (${median(rates.service).toFixed(0)}/s : ${median(rates.bare).toFixed(0)}/s)`,
      limit: `>= ${RATIO_MIN}`,
      isMet: ratio >= RATIO_MIN,
    };
  } finally {
    await bare.end();
  }
}

async function besideReplay(scene: Scene, { replayed: count, events }: Sizes): Promise<Figure> {
  await loadDeadLetters(scene.stage, scene.endpoint, { count, body: BODY });
  const beside = { events, made: () => freshEvents(scene, events) };
  const { latenciesMs, perSecond } = await replay(scene, count, beside);
  if (latenciesMs.length !== events) throw new Error(`${latenciesMs.length} of ${events} fresh events arrived.`);
  const p99Ms = quantile(latenciesMs, 0.99);
  return {
    name: `fresh events of an endpoint beside a replay of ${count} to it`,
    measured: `p99 ${p99Ms.toFixed(0)} ms, while it took ${perSecond.toFixed(0)} posts a second`,
    limit: `p99 < ${FRESH_P99_MAX_MS} ms`,
    isMet: p99Ms < FRESH_P99_MAX_MS,
  };
}

/**
 * Replays all dead letters of the endpoint, while other events are made. Resolves when the receiver has the posts of all and
 * the job has ended.
 */
async function replay(
  { receiver, session, endpoint }: Scene,
  count: number,
  beside = { events: 0, made: () => Promise.resolve() },
): Promise<Received> {
  receiver.send({ count: count + beside.events });
  await receiver.next();
  const [received, { text }] = await Promise.all([
    receiver.next<Received>(),
    session.ask('POST', '/replay-jobs', { verb: 'recover', endpoint_id: endpoint.id }),
    beside.made(),
  ]);
  const { replay_job_id: id } = BEGUN.parse(JSON.parse(text));
  // The same order would be the same job as long as that is open.
  for (;;) {
    const { status, sent, delivered } = JOB.parse(JSON.parse((await session.ask('GET', `/replay-jobs/${id}`)).text));
    if (status !== 'done') {
      await sleep(POLL_MS);
      continue;
    }
    if (sent !== count || delivered !== count) throw new Error(`The job sent ${sent} and delivered ${delivered}.`);
    return received;
  }
}

/** Makes fresh events of the endpoint at an even pace. */
async function freshEvents({ stage, endpoint }: Scene, count: number): Promise<void> {
  const startedAt = performance.now();
  const made: Promise<unknown>[] = [];
  for (let n = 0; n < count; n++) {
    made.push(post(stage, endpoint.apiKey, `/v1/webhook-endpoints/${endpoint.id}/test`, {}));
    await sleep(Math.max(0, startedAt + ((n + 1) * 1_000) / FRESH_PER_SECOND - performance.now()));
  }
  await Promise.all(made);
}
