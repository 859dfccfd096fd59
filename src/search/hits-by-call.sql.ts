import { Merchant } from '../auth/merchant.entity.js';
import type { Environment } from '../domain/network.js';
import { IdempotencyRecord } from '../idempotency/idempotency-record.entity.js';
import { Pocket } from '../ledger/pocket.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { define, subselect } from '../platform/sql/relation.js';
import { sql, type SqlText } from '../platform/sql/sql.js';
import { every, out, table } from '../platform/sql/table.js';
import { LoggedRequest } from '../request-log/logged-request.entity.js';
import { Withdrawal } from '../withdrawals/withdrawal.entity.js';
import { hits } from './hit-columns.sql.js';
import { intentColumns, withdrawalColumns } from './hits-by-id.sql.js';

const intent = table(PaymentIntent, 'intent');
const withdrawal = table(Withdrawal);
const merchant = table(Merchant);
const pocket = table(Pocket);
const record = table(IdempotencyRecord, 'record');
const request = table(LoggedRequest);

/** The most objects of one merchant with one reference that are found. */
const SAME_REFERENCE_MAX = 5;

/** Calls that create something, by their paths: an idempotency key is stored beneath its path. */
const INTENTS_PATH = '/v1/payment-intents';
const WITHDRAWALS_PATH = '/v1/withdrawals';

/** The time in which the database stored what a request made: its clock and that of the process may differ. */
export interface RequestWindow {
  readonly requestId: string;
  readonly from: Date;
  readonly until: Date;
}

/** Finds intents by their references, merchant by merchant along the index of references. */
export function intentsByReference(environments: readonly Environment[], references: readonly string[]) {
  const same = subselect(
    'same',
    sql`select ${out(intent, 'id', 'reference')} from ${intent}
         where ${intent.merchantId} = ${merchant.id} and ${intent.environment} = any(${environments})
           and ${intent.reference} = any(${references}) limit ${SAME_REFERENCE_MAX}`,
  );
  return hits(
    'payment_intent',
    'reference',
    { ...intentColumns, key: same.reference },
    sql`${merchant} cross join lateral ${define(same)} join ${intent} on ${intent.id} = ${same.id}`,
  );
}

/** Finds withdrawals by their references, pocket by pocket along the index of references. */
export function withdrawalsByReference(environments: readonly Environment[], references: readonly string[]) {
  const same = subselect(
    'same',
    sql`select ${out(withdrawal, 'id', 'reference')} from ${withdrawal}
         where ${withdrawal.pocketId} = ${pocket.id} and ${withdrawal.reference} = any(${references})
         limit ${SAME_REFERENCE_MAX}`,
  );
  return hits(
    'withdrawal',
    'reference',
    { ...withdrawalColumns, key: same.reference },
    sql`${pocket} cross join lateral ${define(same)} join ${withdrawal} on ${withdrawal.id} = ${same.id}
        where ${pocket.environment} = any(${environments})`,
  );
}

/** The kept answers of calls on one path with these keys. */
const answersOn = (path: string, environments: readonly Environment[], keys: readonly string[]) =>
  subselect(
    'answer',
    sql`select ${every(record)} from ${record}
         where ${record.merchantId} = ${merchant.id} and ${record.environment} = any(${environments})
           and ${record.method} = 'POST' and ${record.path} = ${path} and ${record.idempotencyKey} = any(${keys})`,
  );

/** Finds the intents that calls with these idempotency keys created: both rows have the time of their transaction. */
export function intentsByIdempotencyKey(environments: readonly Environment[], keys: readonly string[]) {
  const answer = answersOn(INTENTS_PATH, environments, keys);
  return hits(
    'payment_intent',
    'idempotency_key',
    { ...intentColumns, key: answer.idempotencyKey },
    sql`${merchant} cross join lateral ${define(answer)}
        join ${intent} on ${intent.merchantId} = ${answer.merchantId} and ${intent.environment} = ${answer.environment}
         and ${intent.createdAt} = ${answer.createdAt} and ${intent.requestId} = ${answer.requestId}`,
  );
}

/** Finds the withdrawals that calls with these idempotency keys created. */
export function withdrawalsByIdempotencyKey(environments: readonly Environment[], keys: readonly string[]) {
  const answer = answersOn(WITHDRAWALS_PATH, environments, keys);
  return hits(
    'withdrawal',
    'idempotency_key',
    { ...withdrawalColumns, key: answer.idempotencyKey },
    sql`${merchant} cross join lateral ${define(answer)}
        join ${withdrawal} on ${withdrawal.merchantId} = ${answer.merchantId}
         and ${withdrawal.environment} = ${answer.environment}
         and ${withdrawal.createdAt} = ${answer.createdAt} and ${withdrawal.requestId} = ${answer.requestId}`,
  );
}

const isWithin = (createdAt: SqlText, { from, until }: RequestWindow): SqlText =>
  sql`${createdAt} >= ${from} and ${createdAt} < ${until}`;

/** Finds the intent that a request created. Its id holds its time, so only the intents of that moment are read. */
export function intentsByRequest(environments: readonly Environment[], window: RequestWindow) {
  const made = subselect(
    'made',
    sql`select ${out(intent, 'id')} from ${intent}
         where ${intent.merchantId} = ${merchant.id} and ${intent.environment} = any(${environments})
           and ${isWithin(intent.createdAt, window)} and ${intent.requestId} = ${window.requestId}`,
  );
  return hits(
    'payment_intent',
    'request_id',
    { ...intentColumns, key: intent.requestId },
    sql`${merchant} cross join lateral ${define(made)} join ${intent} on ${intent.id} = ${made.id}`,
  );
}

/** Finds the withdrawal that a request created, likewise. */
export function withdrawalsByRequest(environments: readonly Environment[], window: RequestWindow) {
  const made = subselect(
    'made',
    sql`select ${out(withdrawal, 'id')} from ${withdrawal}
         where ${withdrawal.merchantId} = ${merchant.id} and ${withdrawal.environment} = any(${environments})
           and ${isWithin(withdrawal.createdAt, window)} and ${withdrawal.requestId} = ${window.requestId}`,
  );
  return hits(
    'withdrawal',
    'request_id',
    { ...withdrawalColumns, key: withdrawal.requestId },
    sql`${merchant} cross join lateral ${define(made)} join ${withdrawal} on ${withdrawal.id} = ${made.id}`,
  );
}

/** Finds the intent of a later call, such as the one that gave it its address, while the answer of the call is kept. */
export const intentsByLaterRequest = (window: RequestWindow) =>
  hits(
    'payment_intent',
    'request_id',
    { ...intentColumns, key: record.requestId },
    // The condition of the index on the age of records.
    sql`${record} join ${intent} on ${intent.id} = split_part(${record.path}, '/', 4)
        where not (${record.path} = '/v1/withdrawals' and ${record.status} = 202)
          and ${isWithin(record.createdAt, window)} and ${record.requestId} = ${window.requestId}
          and ${intent.merchantId} = ${record.merchantId}`,
  );

/** Finds requests in the log. */
export const requestsById = (environments: readonly Environment[], ids: readonly string[]) =>
  hits(
    'api_request',
    'id',
    {
      id: request.id,
      environment: request.environment,
      merchantId: request.merchantId,
      key: request.id,
      createdAt: request.createdAt,
      state: sql`concat_ws(' ', ${request.method}, ${request.route}, coalesce(${request.errorCode}, ${request.status}::text))`,
      relatedId: request.resourceId,
    },
    sql`${request} where ${request.environment} = any(${environments}) and ${request.id} = any(${ids})`,
  );
