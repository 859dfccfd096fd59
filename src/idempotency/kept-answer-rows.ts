import type { Database } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { type AnswerKey, placeOfAnswer } from './answer-key.js';
import { answersAfter, replaceSealed } from './kept-answers.sql.js';
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
        const page: readonly RowOf<typeof answersAfter>[] = await database.rows(answersAfter(last, PAGE));
        const rows = page.flatMap(({ sealed, ...key }) => (sealed === null ? [] : [rowOf(key, sealed)]));
        if (rows.length > 0) return rows;
        last = page.at(PAGE - 1);
      }
      return [];
    },
    replace: async (row, [body]) => {
      const [before] = row.boxes;
      if (before === undefined || body === undefined) throw new Error('A kept answer has one sealed body.');
      const replaced = await database.rows(replaceSealed(row, before, body));
      return replaced.length > 0;
    },
  };
}

function rowOf(key: AnswerKey, sealed: Buffer): AnswerRow {
  return { ...key, place: placeOfAnswer(key), boxes: [sealed] };
}
