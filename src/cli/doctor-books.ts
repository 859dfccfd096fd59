import type { Database } from '../platform/database/database.js';
import { fail, type Finding, ok, warn } from './doctor-finding.js';

const NAME = 'books';
const STALE_AFTER_HOURS = 26;

interface AuditRow {
  readonly hours_ago: string;
  readonly finding_row: string | null;
  readonly finding_says: string | null;
}

/** What the last audits of the books said; it makes none itself. */
export async function checkBooks(database: Database): Promise<Finding> {
  const audits = await database.query<AuditRow>(
    `select distinct on (scope) finding_row, finding_says,
            floor(extract(epoch from now() - finished_at) / 3600) as hours_ago
       from books_audit order by scope, id desc`,
  );
  const bad = audits.find(({ finding_row: row }) => row !== null);
  if (bad !== undefined) {
    const advice =
      'npx coffer verify names every broken rule; docs/operations.md, "Proof of the books", tells what to do';
    return fail(NAME, `they do not hold: ${bad.finding_row} ${bad.finding_says}`, advice);
  }
  if (audits.length === 0) return ok(NAME, 'not audited yet: the leading worker does it in its first minute');
  const newest = Math.min(...audits.map(({ hours_ago: hours }) => Number(hours)));
  if (newest < STALE_AFTER_HOURS) return ok(NAME, 'every rule was kept when they were last audited');
  return warn(NAME, `last audited ${newest} hours ago`, 'a worker that leads audits them: see whether one runs');
}
