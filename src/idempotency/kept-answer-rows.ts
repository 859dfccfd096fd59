import type { Database } from '../platform/database/database.js';
import type { SealedRow, SealedRows } from '../platform/secret-renewal.js';

/** Answers read by one statement: few of them are sealed, and no index lists those. */
const PAGE = 5_000;

/** In the order of the primary key. The same columns are the place that an answer is sealed for. */
const KEY = ['merchant_id', 'environment', 'method', 'path', 'idempotency_key'] as const;

type AnswerKey = Readonly<Record<(typeof KEY)[number], string>>;
type AnswerRow = SealedRow & AnswerKey;

/** The kept answers that contain a secret. */
export function keptAnswerRows(database: Database): SealedRows<AnswerRow> {
  return {
    read: async (after) => {
      let last: AnswerKey | null | undefined = after;
      while (last !== undefined) {
        const page: readonly (AnswerKey & { sealed: Buffer | null })[] = await pageAfter(database, last);
        const rows = page.flatMap(({ sealed, ...key }) => (sealed === null ? [] : [rowOf(key, sealed)]));
        if (rows.length > 0) return rows;
        last = page.at(PAGE - 1);
      }
      return [];
    },
    replace: async (row, [body = null]) => {
      const replaced = await database.query(
        `update idempotency_record set body = $7
          where merchant_id = $1 and environment = $2 and method = $3 and path = $4 and idempotency_key = $5
            and encrypted and body = $6 returning 1`,
        [...KEY.map((column) => row[column]), row.boxes[0] ?? null, body],
      );
      return replaced.length > 0;
    },
  };
}

function pageAfter(database: Database, last: AnswerKey | null): Promise<(AnswerKey & { sealed: Buffer | null })[]> {
  const columns = KEY.join(', ');
  return database.query(
    `select ${columns}, case when encrypted then body end as sealed from idempotency_record
      where (${columns}) > ($1, $2, $3, $4, $5) order by ${columns} limit $6`,
    [...KEY.map((column) => last?.[column] ?? ''), PAGE],
  );
}

function rowOf(key: AnswerKey, sealed: Buffer): AnswerRow {
  const rowId = KEY.map((column) => key[column]).join('\0');
  return { ...key, place: { purpose: 'idempotent-answer', rowId }, boxes: [sealed] };
}
