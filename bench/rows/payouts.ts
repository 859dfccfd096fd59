import { randomBytes } from 'node:crypto';
import { place } from '../compiled.ts';
import { CONNECTIONS } from '../duel.ts';
import { type FilledPocket, fillPockets, withdrawalBody } from '../filled-pockets.ts';
import { BLOCK_SECONDS, minedPayouts, type PayoutChain, preparePayoutChains } from '../payout-chains.ts';
import type { Figure } from '../report.ts';
import { type Stage, setStage } from '../stage.ts';
import { untilNone } from '../until-none.ts';

const NETWORKS = ['ethereum', 'polygon', 'bnb'];
/** Orders come faster than they are accepted, so accepting and signing take most of the time, not the chains. */
const RATIO_MAX = 2.5;
const COMPLETED_WITHIN_MS = 180_000;
/** The chains make their own blocks, and only payouts leave the hot wallets. */
const SETTINGS = { DEV_CHAINS: NETWORKS.join(','), DEV_BLOCK_INTERVAL_MS: '0', SWEEP_FEE_SHARE_BPS: '0' };

/** Seconds from the first order until the last one reached each state. */
interface Progress {
  readonly accepted: number;
  readonly signed: number;
  readonly sent: number;
  readonly completed: number;
}

/** Measures withdrawals at once on three chains with a block a second, until the last is completed, against the least time. */
export async function measurePayouts(dir: string, { withdrawals }: { withdrawals: number }): Promise<Figure> {
  const stage = await setStage(dir, SETTINGS);
  try {
    const chains = await preparePayoutChains(stage);
    const pockets = await fillPockets(stage, NETWORKS, withdrawals);
    await stage.query('vacuum analyze');
    await stage.query('checkpoint');
    const { accepted, signed, sent, completed } = await payOut(stage, pockets);
    const least = await leastSeconds(chains, withdrawals);
    await checkBooks(stage);
    const ratio = completed / least;
    return {
      name: `payouts, ${withdrawals} withdrawals on ${chains.length} chains`,
      measured:
        `${ratio.toFixed(1)} times what blocks take (${completed.toFixed(1)} s : ${least} s; ` +
        `all accepted after ${accepted.toFixed(1)} s, signed ${signed.toFixed(1)} s, sent ${sent.toFixed(1)} s)`,
      limit: `<= ${RATIO_MAX}`,
      isMet: ratio <= RATIO_MAX,
    };
  } finally {
    await stage.close();
  }
}

/** Orders one withdrawal from each pocket, each to its own address, and waits until all have ended. */
async function payOut(stage: Stage, pockets: readonly FilledPocket[]): Promise<Progress> {
  await stage.load({
    urls: [stage.service.url],
    apiKey: pockets.map(({ apiKey }) => apiKey),
    connections: CONNECTIONS,
    count: pockets.length,
    paths: ['/v1/withdrawals'],
    body: pockets.map((pocket) => withdrawalBody(pocket, `0x${randomBytes(20).toString('hex')}`)),
  });
  await untilNone(stage, `select from withdrawal where status = 'broadcasting' limit 1`, [], {
    withinMs: COMPLETED_WITHIN_MS,
  });
  const [progress] = await stage.query<Progress & { failed: number }>(
    `select extract(epoch from max(created_at) - min(created_at))::float8 as accepted,
            extract(epoch from max(signed_at) - min(created_at))::float8 as signed,
            extract(epoch from max(sent.broadcast_at) - min(created_at))::float8 as sent,
            extract(epoch from max(completed_at) - min(created_at))::float8 as completed,
            (count(*) filter (where status <> 'completed'))::int as failed
       from withdrawal cross join lateral (
         select broadcast_at from chain_transaction where purpose = 'withdrawal' and purpose_id = withdrawal.id) sent`,
  );
  if (progress === undefined || progress.failed > 0) throw new Error('Not every withdrawal was completed.');
  return progress;
}

/**
 * Returns the full blocks that a chain's payments need, plus those that make the last one final, for the slowest chain.
 * @throws Error unless the chains have mined exactly one transaction for each withdrawal
 */
async function leastSeconds(chains: readonly PayoutChain[], withdrawals: number): Promise<number> {
  const mined = await Promise.all(chains.map((chain) => minedPayouts(chain)));
  const total = mined.reduce((sum, { transactions }) => sum + transactions, 0);
  if (total !== withdrawals) throw new Error(`${withdrawals} withdrawals had ${total} transactions mined.`);
  return Math.max(...chains.map(({ confirmations }, nth) => (mined[nth]?.blocks ?? 0) + confirmations)) * BLOCK_SECONDS;
}

/** Checks every rule of `npx coffer verify` without a chain, because the pockets' deposits are in the books only. */
export async function checkBooks(stage: Stage): Promise<void> {
  const { firstBreach, verifyBooks }: typeof import('../../src/auditor/books-verification.js') = await import(
    place('auditor/books-verification.js')
  );
  const { rules } = await verifyBooks(stage.databaseUrl);
  const breach = firstBreach(rules);
  if (breach !== null) throw new Error(`${breach.name}: ${breach.finding.row} ${breach.finding.says}.`);
}
