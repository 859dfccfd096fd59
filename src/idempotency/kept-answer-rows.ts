import type { Database } from '../platform/database/database.js';
import { type AnswerKey, KEY_COLUMNS, partsOf, placeOfAnswer } from './answer-key.js';
import type { SealedRow, SealedRows } from '../platform/secret-renewal.js';

/** Answers read by one statement: few of them are sealed, and no index lists those. */
const PAGE = 5_000;

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
        [...partsOf(row), row.boxes[0] ?? null, body],
      );
      return replaced.length > 0;
    },
  };
}

function pageAfter(database: Database, last: AnswerKey | null): Promise<(AnswerKey & { sealed: Buffer | null })[]> {
  const columns = KEY_COLUMNS.join(', ');
  return database.query(
    `select ${columns}, case when encrypted then body end as sealed from idempotency_record
      where (${columns}) > ($1, $2, $3, $4, $5) order by ${columns} limit $6`,
    [...KEY_COLUMNS.map((column) => last?.[column] ?? ''), PAGE],
  );
}

function rowOf(key: AnswerKey, sealed: Buffer): AnswerRow {
  return { ...key, place: placeOfAnswer(key), boxes: [sealed] };
}
