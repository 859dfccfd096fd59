import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../child.ts';
import { makeEndpoints, post } from '../merchant-endpoints.ts';
import type { ConsolesResult } from '../open-consoles.ts';
import { processorShare } from '../processor-time.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';

const CONSOLES = 100;
const EVENTS_PER_SECOND = 100;
/** Below this share of the wanted pace, the consoles were not measured under it. */
const EVENTS_SHARE_MIN = 0.95;
const REST_MAX = 5;
const BUSY_MAX = 15;
/** The merchants that make events, each with one endpoint. */
const ENDPOINTS = 10;

/**
 * Measures the processor time of an api process that a hundred open consoles use, on the landing page: while nothing happens,
 * and while another process makes and delivers events. The database's own time is not in it.
 */
export async function measureOpenConsoles(
  stage: Stage,
  { settleMs, watchMs }: { readonly settleMs: number; readonly watchMs: number },
): Promise<Figure[]> {
  const { admin } = stage.service;
  if (admin === undefined) throw new Error('This build has no console.');
  const api = await stage.startApi();
  const receiver = startChild('receiver.ts');
  const consoles = startChild('open-consoles.ts', api.url, admin.email, admin.password, String(CONSOLES));
  const sinceLast = async (): Promise<ConsolesResult> => {
    consoles.send({});
    const result = await consoles.next<ConsolesResult>();
    if (result.failure !== null) throw new Error(result.failure);
    return result;
  };
  try {
    const { quick } = await receiver.next<{ quick: number }>();
    const endpoints = await makeEndpoints(stage, `http://127.0.0.1:${quick}/hooks`, ENDPOINTS);
    await consoles.next();
    await sleep(settleMs);
    await sinceLast();
    const rest = figureOf('at rest', await processorShare(api.pid, watchMs), REST_MAX, await sinceLast());
    const events = startEvents((nth) => {
      const { id, apiKey } = endpoints[nth % ENDPOINTS] ?? { id: '', apiKey: '' };
      return post(stage, apiKey, `/v1/webhook-endpoints/${id}/test`, {});
    });
    await sleep(settleMs);
    await sinceLast();
    const share = await processorShare(api.pid, watchMs);
    const perSecond = await events.stop();
    const busy = figureOf(`at ${perSecond.toFixed(0)} events/s`, share, BUSY_MAX, await sinceLast());
    return [rest, { ...busy, isMet: busy.isMet && perSecond >= EVENTS_SHARE_MIN * EVENTS_PER_SECOND }];
  } finally {
    await Promise.all([consoles.end(), receiver.end()]);
    await api.stop();
  }
}

function figureOf(when: string, share: number, max: number, { changes, loads }: ConsolesResult): Figure {
  return {
    name: `${CONSOLES} open consoles, ${when}`,
    measured: `${share.toFixed(1)} % of a core (${changes} changes reported, ${loads} pages loaded)`,
    limit: `< ${max} %`,
    isMet: share < max,
  };
}

/** Makes events at an even pace until it is stopped; then returns how many a second were made. */
function startEvents(make: (nth: number) => Promise<unknown>): { stop(): Promise<number> } {
  const startedAt = performance.now();
  const stopping = new AbortController();
  const made: Promise<unknown>[] = [];
  const run = async (): Promise<number> => {
    while (!stopping.signal.aborted) {
      made.push(make(made.length));
      const dueAt = startedAt + (made.length * 1_000) / EVENTS_PER_SECOND;
      await sleep(Math.max(0, dueAt - performance.now()));
    }
    await Promise.all(made);
    return made.length / ((performance.now() - startedAt) / 1_000);
  };
  const running = run();
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}
