import { newId } from '../../domain/ids.js';
import { rows, type Tx } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { takeTurn } from '../deliveries/delivery-claims.service.js';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.js';
import { beginNextSeries, makeWaitingDue } from '../recoveries/endpoint-recovery.sql.js';
import { owe } from '../recoveries/missing-deliveries.service.js';
import { nextEvents } from '../recoveries/missing-deliveries.sql.js';
import { type ReplayStep, stepsOf } from './replay-filter.js';
import { BEGINNING } from './replay-order.sql.js';
import { lockChosen, lockTargets, type Progress, recordProgress } from './replay-targets.sql.js';
import { isSelective, nextOfStep, WALKED_MAX } from './replay-walk.sql.js';

/** The most deliveries that one batch sends. */
const SENT_MAX = 500;

type Target = RowOf<typeof lockTargets>;

/** What a batch has done. */
export interface Fed {
  readonly sent: number;
  /** Endpoints where the batch has sent nothing, and where there may be more to send at once. */
  readonly unfinished: readonly string[];
}

const NOTHING: Fed = { sent: 0, unfinished: [] };

/**
 * Sends a batch of a job to several endpoints with as many statements as to one. It commits together with the progress of
 * the targets. `openMax` deliveries of the job may wait at an endpoint.
 */
export async function feedBatch(tx: Tx, jobId: string, endpointIds: readonly string[], openMax: number): Promise<Fed> {
  const targets = await rows(tx, lockTargets(jobId, endpointIds, openMax));
  const closed = targets.filter((target) => target.isDeleted || !target.enabled);
  const open = targets.filter((target) => !closed.includes(target) && target.open < openMax);
  const made = closed.map((target) => ended(target, target.isDeleted ? 'deleted' : 'disabled'));
  const [first] = open;
  if (first !== undefined) {
    const share = Math.ceil(SENT_MAX / open.length);
    const roomOf = (target: Target): number => Math.min(openMax - target.open, share);
    made.push(
      ...(first.verb === 'send_missing'
        ? await sendMissing(tx, first, roomOf(first))
        : await sendStep(tx, open, roomOf)),
    );
  }
  if (made.length === 0) return NOTHING;
  await rows(tx, recordProgress(jobId, made));
  const sent = made.reduce((sum, one) => sum + one.sent, 0);
  if (sent > 0) failpoint('replay.before_commit');
  const waiting = new Set(made.filter((one) => one.sent > 0 || one.status !== 'open').map((one) => one.endpointId));
  return {
    sent,
    unfinished: open.map((target) => target.endpointId).filter((id) => !waiting.has(id)),
  };
}

const placeOf = ({ endpointId, reachedStep, reachedAt, reachedId }: Target) => ({
  endpointId,
  reachedStep,
  reachedAt,
  reachedId,
});

const ended = (target: Target, status: 'deleted' | 'disabled' | 'done'): Progress => ({
  ...placeOf(target),
  status,
  sent: 0,
  skipped: 0,
});

/** Sends the earliest step that some of the targets have reached, to these. */
async function sendStep(tx: Tx, targets: readonly Target[], roomOf: (target: Target) => number): Promise<Progress[]> {
  const [first] = targets.toSorted((a, b) => a.reachedStep - b.reachedStep);
  if (first === undefined) return [];
  const { jobId, criteria, bound, reachedStep } = first;
  const here = targets.filter((target) => target.reachedStep === reachedStep);
  const steps = stepsOf(first.verb === 'resend' ? 'resend' : 'recover', criteria);
  const step = steps[reachedStep];
  if (step === undefined) return here.map((target) => ended(target, 'done'));
  // While the endpoint is being enabled, an uncommitted batch locks its deliveries, and the walk would skip them.
  if (isWaiting(step)) await takeTurn(tx);
  const limit = isSelective(criteria) ? WALKED_MAX : Math.min(WALKED_MAX, Math.max(...here.map(roomOf)));
  const found = await rows(tx, nextOfStep({ jobId, step, criteria, bound, limit }, here.map(placeOf)));
  const byEndpoint = Map.groupBy(found, (one) => one.endpointId);
  const walks = here.map((target): FoundOf => {
    const all = byEndpoint.get(target.endpointId) ?? [];
    const wanted = all.filter((one) => one.isWanted);
    return { target, all, wanted, chosen: wanted.slice(0, roomOf(target)) };
  });
  const sent = await send(
    tx,
    step,
    jobId,
    walks.flatMap(({ chosen }) => chosen.map((one) => one.id)),
  );
  if (sent.size > 0) failpoint('replay.sent');
  const stepsLeft = steps.length - reachedStep;
  return walks.map((walk) => {
    const count = walk.chosen.filter((one) => sent.has(one.id)).length;
    return progressOf(walk, { sent: count, stepsLeft, limit });
  });
}

const isWaiting = (step: ReplayStep): boolean => step === 'held' || step === 'pending';

/** Sends those of the deliveries that nothing has sent or finished meanwhile, and returns them. */
async function send(tx: Tx, step: ReplayStep, jobId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const locked = (await rows(tx, lockChosen(step, ids))).map((one) => one.id);
  if (locked.length === 0) return new Set();
  if (isWaiting(step)) return new Set((await rows(tx, makeWaitingDue(locked, jobId))).map((one) => one.id));
  const series = locked.map((lastId) => ({ id: newId('dlv_'), lastId }));
  await rows(tx, beginNextSeries(series, jobId));
  return new Set(locked);
}

async function sendMissing(tx: Tx, target: Target, room: number): Promise<Progress[]> {
  const endpoint = await tx.findOneOrFail(WebhookEndpoint, { id: target.endpointId });
  const found = await rows(tx, nextEvents(endpoint, [target.reachedAt, target.reachedId], WALKED_MAX));
  const bound = new Date(target.bound);
  const all = found.filter((event) => new Date(event.createdAt) <= bound);
  const wanted = all.filter((event) => event.isMissing);
  const chosen = wanted.slice(0, room);
  const sent = await owe(tx, endpoint, chosen, target.jobId);
  if (sent > 0) failpoint('replay.sent');
  return [progressOf({ target, all, wanted, chosen }, { sent, stepsLeft: 1, limit: WALKED_MAX })];
}

/** A delivery, or an event that has none. */
type Item = Pick<RowOf<typeof nextOfStep>, 'id' | 'createdAt'>;

/** What a walk found at an endpoint, what of that the job wants, and what there is room for. */
interface FoundOf {
  readonly target: Target;
  readonly all: readonly Item[];
  readonly wanted: readonly Item[];
  readonly chosen: readonly Item[];
}

/** How far the batch came: to the last that it chose, or over all that it has found when it chose all wanted ones. */
function progressOf(
  { target, all, wanted, chosen }: FoundOf,
  { sent, stepsLeft, limit }: { readonly sent: number; readonly stepsLeft: number; readonly limit: number },
): Progress {
  const isWhole = chosen.length === wanted.length;
  const last = (isWhole ? all.at(-1) : chosen.at(-1)) ?? { createdAt: target.reachedAt, id: target.reachedId };
  const counts = { endpointId: target.endpointId, sent, skipped: chosen.length - sent };
  const { reachedStep } = target;
  if (!isWhole || all.length === limit) {
    return { ...counts, reachedStep, reachedAt: last.createdAt, reachedId: last.id, status: 'open' };
  }
  const next = { reachedStep: reachedStep + 1, reachedAt: target.criteria.created_gte ?? BEGINNING, reachedId: '' };
  return { ...counts, ...next, status: stepsLeft > 1 ? 'open' : 'done' };
}
