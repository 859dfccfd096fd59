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

/** What the last audits of the books said, and the last look at the hot wallets; it makes none itself. */
export async function checkBooks(database: Database): Promise<Finding> {
  const audits = await database.query<AuditRow>(
    `select distinct on (scope) finding_row, finding_says,
            (select coalesce(sum((rule ->> 'count')::int), 0)::int from jsonb_array_elements(findings) rule) as count,
            floor(extract(epoch from now() - finished_at) / 3600) as hours_ago
       from books_audit order by scope, id desc`,
  );
  const bad = audits.find(({ finding_row: row }) => row !== null);
  if (bad !== undefined) {
    const advice =
      'npx coffer verify names every broken rule; docs/operations.md, "Proof of the books", tells what to do';
    const more = bad.count > 1 ? `, and ${bad.count - 1} more` : '';
    return fail(NAME, `they do not hold: ${bad.finding_row} ${bad.finding_says}${more}`, advice);
  }
  const lacking = await lackingWallet(database);
  if (lacking !== null) return fail(NAME, lacking, 'freeze the network, then see docs/operations.md, "Hot wallet"');
  if (audits.length === 0) return ok(NAME, 'not audited yet: the leading worker does it in its first minute');
  const newest = Math.min(...audits.map(({ hours_ago: hours }) => Number(hours)));
  if (newest >= STALE_AFTER_HOURS)
    return warn(NAME, `last audited ${newest} hours ago`, 'a worker that leads audits them: see whether one runs');
  const uncompared = await uncomparedWallet(database);
  if (uncompared !== null)
    return warn(NAME, uncompared, 'docs/operations.md, "Hot wallet", tells what keeps it from that');
  return ok(NAME, 'every rule was kept when they were last audited');
}

/** The hot wallet that was not compared with the books for the longest time, in words; null when none was for long. */
async function uncomparedWallet(database: Database): Promise<string | null> {
  const [oldest] = await database.query<{ place: string; symbol: string; age: string }>(COMPARED_STATEMENT);
  if (oldest === undefined || Number(oldest.age) < UNCOMPARED_AFTER_S) return null;
  const { place, symbol, age } = oldest;
  return `what the hot wallet of ${place} holds of ${symbol} was not compared with the books for ${Math.floor(Number(age) / 60)} minutes`;
}

/** The first hot wallet that held less than the books say when it was last compared with the chain, in words. */
async function lackingWallet(database: Database): Promise<string | null> {
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
  return `the hot wallet of ${place} lacks ${formatUnits(BigInt(missing), decimals)} ${symbol} at block ${height}`;
}
