import type { RowOf } from '../../platform/sql/sql.js';
import { timelineItem, type TimelineItem } from './timeline-item.js';
import type { findBeginning, findCalls, findLoggedOn } from './timeline.sql.js';

type Beginning = RowOf<typeof findBeginning>;
type Kept = RowOf<typeof findCalls>;
type Logged = RowOf<typeof findLoggedOn>;

/** A call, as far as it is known: the log knows more than the kept answer, but goes back less far where answers are kept for long. */
type Call = Pick<Logged, 'method' | 'route' | 'status' | 'requestId' | 'createdAt' | 'idempotencyKey'> &
  Partial<Logged>;

/** Brings the kept answers and the log of the calls for an intent together, each request once. */
export function callsOf(id: string, kept: readonly Kept[], logged: readonly Logged[]): Call[] {
  const known = kept.map(({ path, ...call }) => ({ ...call, route: path.replace(id, ':id') }));
  return [...new Map<string, Call>([...known, ...logged].map((call) => [call.requestId, call])).values()];
}

/** The call that made the intent, which its row names, and all others. */
export function callItemsOf(beginning: Beginning, calls: readonly Call[]): TimelineItem[] {
  const { createdAt, requestId, apiKeyId, keyLast4 } = beginning;
  const creation = calls.find((call) => call.requestId === requestId);
  return [
    timelineItem({
      kind: 'api_call',
      at: new Date(createdAt),
      title: 'POST /v1/payment-intents created the intent.',
      detail: detailOf({ ...creation, apiKeyId: apiKeyId ?? undefined, keyLast4 }),
      requestId,
    }),
    ...calls.filter((call) => call.requestId !== requestId).map(callItem),
  ];
}

function callItem(call: Call): TimelineItem {
  const { method, route, status, errorCode = null, replayed = false, requestId, createdAt } = call;
  const answer = [status, errorCode].filter((part) => part !== null).join(' ');
  const outcome = status === null ? 'got no answer: the client disconnected' : `was answered ${answer}`;
  return timelineItem({
    kind: 'api_call',
    at: new Date(createdAt),
    title: `${method} ${route} ${outcome}${replayed ? ', replayed from an earlier request' : ''}.`,
    detail: detailOf(call),
    failed: status === null || status >= 400,
    requestId,
  });
}

function detailOf({ apiKeyId, keyLast4 = null, idempotencyKey = null, durationMs }: Partial<Call>): string {
  return [
    ...(apiKeyId === undefined ? [] : [`Key ${apiKeyId}${keyLast4 === null ? '' : ` (...${keyLast4})`}`]),
    ...(idempotencyKey === null ? [] : [`idempotency key ${idempotencyKey}`]),
    ...(durationMs === undefined ? [] : [`${durationMs} ms`]),
  ].join(', ');
}
