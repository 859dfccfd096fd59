import { as } from '../platform/sql/as.js';
import type { PlannedStatement } from '../platform/sql/planned-write.js';
import { all, cte, defineAll, relation } from '../platform/sql/relation.js';
import { join, type RowOf, sql, type SqlText } from '../platform/sql/sql.js';
import { out, selected, set, table, values } from '../platform/sql/table.js';
import { type AnswerKey, KEY_PROPERTIES } from './answer-key.js';
import { IdempotencyRecord } from './idempotency-record.entity.js';

const record = table(IdempotencyRecord);

const answerOf = (json: SqlText, effect: SqlText) => sql`select ${json} ${as.text('json')} from ${effect}`;
const answer = relation<RowOf<typeof answerOf>>('response');

/**
 * The answers that are never pruned: without them a late repeat of an accepted withdrawal would pay again. The route of a
 * feature is named here because the rows have no column in which a write could ask for this itself. The condition of the
 * index `idempotency_record_age` is the same.
 */
const isKeptWithoutLimit = sql`(${record.path} = '/v1/withdrawals' and ${record.status} = 202)`;

/** An answer to keep. */
export interface NewAnswer extends AnswerKey {
  readonly fingerprint: string;
  readonly requestId: string;
  readonly status: number;
  readonly body: Buffer;
  readonly encrypted: boolean;
}

/** Takes the lock of a write if it is free, and reads its kept answer. */
export const claimWrite = (key: AnswerKey, lock: bigint) => sql`
  select pg_try_advisory_xact_lock(${lock}::bigint) ${as.boolean('isClaimed')},
         ${record.fingerprint.asOrNull('fingerprint')}, ${record.status.asOrNull('status')}, ${record.body.asOrNull('body')},
         ${record.encrypted.asOrNull('encrypted')}, ${record.requestId.asOrNull('requestId')}
    from (values (1)) as one (row) left join ${record} on ${isOf(key)}`;

/**
 * Claims a write, makes its effect and keeps its answer if the claim is granted, all in one statement. The answer is JSON;
 * it is null if the claim is not granted, or if the effect wrote nothing.
 */
export function writeAtOnce(
  key: AnswerKey,
  lock: bigint,
  parts: PlannedStatement['parts'],
  { json, ...kept }: Omit<NewAnswer, keyof AnswerKey | 'body'> & { readonly json: SqlText },
) {
  const claim = cte('claim', claimWrite(key, lock));
  const isGranted = sql`(select ${claim.isClaimed} and ${claim.fingerprint} is null from ${claim})`;
  const { steps, effect } = parts(isGranted);
  const body = sql`convert_to(${answer.json}, 'UTF8')`;
  return sql`
    with ${defineAll([claim, ...steps])},
         response as materialized (${answerOf(json, effect)}),
         kept as (insert into ${record} ${selected(record, { ...key, ...kept, body })} from ${answer})
    select ${all(claim)}, (select ${answer.json} from ${answer}) ${as.textOrNull('json')} from ${claim}`;
}

/** Finds a kept answer. */
export const findAnswer = (key: AnswerKey) => sql`
  select ${out(record, 'fingerprint', 'status', 'body', 'encrypted', 'requestId')} from ${record} where ${isOf(key)}`;

/** Keeps an answer. */
export const insertAnswer = (one: NewAnswer) => sql`insert into ${record} ${values(record, one)}`;

/** Deletes answers that are older than their retention. */
export const deleteOldAnswers = (retentionHours: number, limit: number) => sql`
  delete from ${record}
   where ctid in (
     select ctid from ${record}
      where ${record.createdAt} < now() - ${retentionHours} * interval '1 hour' and not ${isKeptWithoutLimit}
      order by ${record.createdAt} limit ${limit} for update skip locked)
  returning 1`;

/** Reads a page of answers by their keys, after a key; `sealed` is the body of those that contain a secret. */
export function answersAfter(last: AnswerKey | null, limit: number) {
  const columns = join(keyColumns, ', ');
  const after = join(
    KEY_PROPERTIES.map((property) => last?.[property] ?? ''),
    ', ',
  );
  return sql`
    select ${out(record, ...KEY_PROPERTIES)}, case when ${record.encrypted} then ${record.body} end ${as.bytesOrNull('sealed')}
      from ${record} where (${columns}) > (${after}) order by ${columns} limit ${limit}`;
}

/** Replaces the sealed body of an answer, if it is still the one that was read. */
export const replaceSealed = (key: AnswerKey, before: Buffer, body: Buffer) => sql`
  update ${record} set ${set(record, { body })}
   where ${isOf(key)} and ${record.encrypted} and ${record.body} = ${before} returning 1`;

const keyColumns: readonly SqlText[] = KEY_PROPERTIES.map((property) => record[property]);

const isOf = (key: AnswerKey): SqlText =>
  join(
    KEY_PROPERTIES.map((property) => sql`${record[property]} = ${key[property]}`),
    ' and ',
  );
