import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '../child.ts';
import { median } from '../duel.ts';
import { makeEndpoints, type MerchantEndpoint, post, setEnabled } from '../merchant-endpoints.ts';
import type { Received } from '../receiver.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';

const SHARE_MAX = 1.1;
const HEALTHY = 98;
/** Events per second over the healthy endpoints: a steady load below the maximum. */
const PER_SECOND = 50;
/** The backlog of each bad endpoint when a round begins. */
const BACKLOG = 200;

/** Measures the effect of one dead and one slow endpoint among 100 on the others: the median from event to receiver. */
export async function measureWebhookIsolation(
  stage: Stage,
  { rounds, events }: { rounds: number; events: number },
): Promise<Figure> {
  const receiver = startChild('receiver.ts');
  try {
    const ports = await receiver.next<{ quick: number; slow: number }>();
    const healthy = await makeEndpoints(stage, `http://127.0.0.1:${ports.quick}/hooks`, HEALTHY);
    // The port of the dead endpoint has no listener.
    const [dead] = await makeEndpoints(stage, 'http://127.0.0.1:65535/hooks', 1);
    const [slow] = await makeEndpoints(stage, `http://127.0.0.1:${ports.slow}/hooks`, 1);
    if (dead === undefined || slow === undefined) throw new Error('The bad endpoints were not made.');
    const medians = { alone: [] as number[], beside: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      for (const bad of [dead, slow]) await setEnabled(stage, bad, false);
      const alone = await oneRound(stage, receiver, healthy, events);
      for (const bad of [dead, slow]) await setEnabled(stage, bad, true);
      for (const bad of [dead, slow]) await Promise.all(Array.from({ length: BACKLOG }, () => ping(stage, bad)));
      const beside = await oneRound(stage, receiver, healthy, events);
      if (round === 0) continue;
      medians.alone.push(alone);
      medians.beside.push(beside);
    }
    const share = median(medians.beside.map((value, index) => value / (medians.alone[index] ?? 0)));
    return {
      name: 'webhooks beside a dead and a slow endpoint',
      measured: `${share.toFixed(2)} of the others' median alone (${median(medians.beside).toFixed(1)} ms : ${median(medians.alone).toFixed(1)} ms)`,
      limit: `< ${SHARE_MAX}`,
      isMet: share < SHARE_MAX,
    };
  } finally {
    await receiver.end();
  }
}

/** Returns the median milliseconds from event to receiver, over events at an even pace. */
async function oneRound(
  stage: Stage,
  receiver: Child,
  endpoints: readonly MerchantEndpoint[],
  events: number,
): Promise<number> {
  receiver.send({ count: events });
  await receiver.next();
  const received = receiver.next<Received>();
  const startedAt = performance.now();
  const sent: Promise<unknown>[] = [];
  for (let n = 0; n < events; n++) {
    const endpoint = endpoints[n % endpoints.length];
    if (endpoint !== undefined) sent.push(ping(stage, endpoint));
    await sleep(Math.max(0, startedAt + ((n + 1) * 1000) / PER_SECOND - performance.now()));
  }
  await Promise.all(sent);
  return median((await received).latenciesMs);
}

function ping(stage: Stage, { id, apiKey }: MerchantEndpoint): Promise<unknown> {
  return post(stage, apiKey, `/v1/webhook-endpoints/${id}/test`, {});
}
