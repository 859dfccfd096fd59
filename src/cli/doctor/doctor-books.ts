import { formatUnits } from '../../domain/money.js';
import type { Database } from '../../platform/database/database.js';
import { COMPARED_STATEMENT } from '../../treasury/wallets/top-ups.sql.js';
import { fail, type Finding, ok, warn } from './doctor-finding.js';

const NAME = 'books';
const STALE_AFTER_HOURS = 26;
/** Hot wallets are compared with the books at every final block, within seconds. */
const UNCOMPARED_AFTER_S = 3_600;

interface AuditRow {
  readonly hours_ago: string;
  readonly finding_row: string | null;
  readonly finding_says: string | null;
  /** Rows that break a rule. */
  readonly count: number;
}

/** Reports the last audits of the books and the last comparisons of the hot wallets. It audits nothing itself. */
export async function checkBooks(database: Database): Promise<Finding> {
  const audits = await database.query<AuditRow>(
    `select distinct on (scope) finding_row, finding_says,
            (select coalesce(sum((rule ->> 'count')::int), 0)::int from jsonb_array_elements(findings) rule) as count,
            floor(extract(epoch from now() - finished_at) / 3600) as hours_ago
       from books_audit order by scope, id desc`,
  );
  const bad = audits.find(({ finding_row: row }) => row !== null);
  if (bad !== undefined) {
    const advice = 'npx coffer verify names every broken rule; see docs/operations.md, "Proof of the books"';
    const more = bad.count > 1 ? `, and ${bad.count - 1} more` : '';
    return fail(NAME, `they do not hold: ${bad.finding_row} ${bad.finding_says}${more}`, advice);
  }
  const short = await shortWallet(database);
  if (short !== null) return fail(NAME, short, 'freeze the network, then see docs/operations.md, "Hot wallet"');
  if (audits.length === 0) return ok(NAME, 'not audited yet: the leading worker audits them in its first minute');
  const newest = Math.min(...audits.map(({ hours_ago: hours }) => Number(hours)));
  if (newest >= STALE_AFTER_HOURS)
    return warn(NAME, `last audited ${newest} hours ago`, 'the leading worker audits them: check that a worker runs');
  const uncompared = await uncomparedWallet(database);
  if (uncompared !== null) return warn(NAME, uncompared, 'see docs/operations.md, "Hot wallet", under Not compared');
  return ok(NAME, 'no rule was broken at the last audit');
}

/** Describes the hot wallet with the oldest comparison; null when every comparison is recent. */
async function uncomparedWallet(database: Database): Promise<string | null> {
  const [oldest] = await database.query<{ place: string; symbol: string; age: string }>(COMPARED_STATEMENT);
  if (oldest === undefined || Number(oldest.age) < UNCOMPARED_AFTER_S) return null;
  const { place, symbol, age } = oldest;
  return `the ${symbol} in the hot wallet of ${place} was last compared with the books ${Math.floor(Number(age) / 60)} minutes ago`;
}

/** Describes the first hot wallet that held less than the books say at its last comparison. */
async function shortWallet(database: Database): Promise<string | null> {
  const [row] = await database.query<{
    place: string;
    symbol: string;
    decimals: number;
    missing: string;
    height: string;
  }>(
    `select chain.environment || '/' || chain.network as place, token.symbol, token.decimals, stock.missing,
            stock.booked_height as height
       from stocktaking stock join chain on chain.id = stock.chain_ref and chain.active
       join chain_token token on token.chain_ref = stock.chain_ref and token.contract = stock.token_contract
      where stock.missing > 0 order by place, token.symbol limit 1`,
  );
  if (row === undefined) return null;
  const { place, symbol, decimals, missing, height } = row;
  return `${formatUnits(BigInt(missing), decimals)} ${symbol} are missing from the hot wallet of ${place} at block ${height}`;
}
