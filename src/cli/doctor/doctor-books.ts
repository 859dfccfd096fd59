import { formatUnits } from '../../domain/money.js';
import type { Database } from '../../platform/database/database.js';
import { comparedTokens } from '../../treasury/wallets/top-ups.sql.js';
import { fail, type Finding, ok, warn } from './doctor-finding.js';
import { findShortWallet, lastAudits } from './doctor.sql.js';

const NAME = 'books';
const STALE_AFTER_HOURS = 26;
/** Hot wallets are compared with the books at every final block, within seconds. */
const UNCOMPARED_AFTER_S = 3_600;

/** Reports the last audits of the books and the last comparisons of the hot wallets. It audits nothing itself. */
export async function checkBooks(database: Database): Promise<Finding> {
  const audits = await database.rows(lastAudits);
  const bad = audits.find(({ findingRow }) => findingRow !== null);
  if (bad !== undefined) {
    const advice = 'npx coffer verify names every broken rule; see docs/operations.md, "Proof of the books"';
    const more = bad.count > 1 ? `, and ${bad.count - 1} more` : '';
    return fail(NAME, `they do not hold: ${bad.findingRow} ${bad.findingSays}${more}`, advice);
  }
  const short = await shortWallet(database);
  if (short !== null) return fail(NAME, short, 'freeze the network, then see docs/operations.md, "Hot wallet"');
  if (audits.length === 0) return ok(NAME, 'not audited yet: the leading worker audits them in its first minute');
  const newest = Math.min(...audits.map(({ hoursAgo }) => Number(hoursAgo)));
  if (newest >= STALE_AFTER_HOURS)
    return warn(NAME, `last audited ${newest} hours ago`, 'the leading worker audits them: check that a worker runs');
  const uncompared = await uncomparedWallet(database);
  if (uncompared !== null) return warn(NAME, uncompared, 'see docs/operations.md, "Hot wallet", under Not compared');
  return ok(NAME, 'no rule was broken at the last audit');
}

/** Describes the hot wallet with the oldest comparison; null when every comparison is recent. */
async function uncomparedWallet(database: Database): Promise<string | null> {
  const [oldest] = await database.rows(comparedTokens);
  if (oldest === undefined || Number(oldest.age) < UNCOMPARED_AFTER_S) return null;
  const { place, symbol, age } = oldest;
  return `the ${symbol} in the hot wallet of ${place} was last compared with the books ${Math.floor(Number(age) / 60)} minutes ago`;
}

/** Describes the first hot wallet that held less than the books say at its last comparison. */
async function shortWallet(database: Database): Promise<string | null> {
  const [row] = await database.rows(findShortWallet);
  if (row === undefined) return null;
  const { place, symbol, decimals, missing, height } = row;
  return `${formatUnits(BigInt(missing), decimals)} ${symbol} are missing from the hot wallet of ${place} at block ${height}`;
}
