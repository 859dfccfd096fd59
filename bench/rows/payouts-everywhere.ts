import { randomBytes } from 'node:crypto';
import { CONNECTIONS } from '../duel.ts';
import { fillPockets, withdrawalBody } from '../filled-pockets.ts';
import { type FundedWallet, fundHotWallets, heldUsdc, NEW_ADDRESSES } from '../payout-families.ts';
import type { Figure } from '../report.ts';
import { type Stage, setStage } from '../stage.ts';
import { untilNone } from '../until-none.ts';
import { checkBooks } from './payouts.ts';

const NETWORKS = ['ethereum', 'polygon', 'bnb', 'solana', 'tron'];
const BLOCK_MS = 1_000;
/** Blocks of a second from the payment's own to the final one; on solana eight slots of 0.4 s are less. */
const LEAST_SECONDS = 4;
/** Orders come faster than they are accepted, and five chains share the cores with the service. */
const RATIO_MAX = 15;
const COMPLETED_WITHIN_MS = 300_000;
const SETTINGS = {
  DEV_CHAINS: NETWORKS.join(','),
  DEV_BLOCK_INTERVAL_MS: String(BLOCK_MS),
  SWEEP_FEE_SHARE_BPS: '0',
};

/** Seconds from the first order of all until the last of a network was completed. */
interface Completed {
  readonly network: string;
  readonly seconds: number;
  readonly failed: number;
  readonly units: string;
}

/** Measures withdrawals on all networks at once, `withdrawals` on each, until the last is completed. */
export async function measurePayoutsEverywhere(
  dir: string,
  { withdrawals }: { readonly withdrawals: number },
): Promise<Figure> {
  const stage = await setStage(dir, SETTINGS);
  try {
    const wallets = await fundHotWallets(stage);
    const pockets = await fillPockets(stage, NETWORKS, withdrawals * NETWORKS.length, NEW_ADDRESSES);
    await stage.query('vacuum analyze');
    await stage.query('checkpoint');
    const held = await Promise.all(wallets.map(heldUsdc));
    await stage.load({
      urls: [stage.service.url],
      apiKey: pockets.map(({ apiKey }) => apiKey),
      connections: CONNECTIONS,
      count: pockets.length,
      paths: ['/v1/withdrawals'],
      // The pockets are of the networks in turns.
      body: pockets.map((pocket, nth) => withdrawalBody(pocket, destinationOn(NETWORKS[nth % NETWORKS.length] ?? ''))),
    });
    await allCompleted(stage);
    const completed = await completedOf(stage);
    await checkPaid(wallets, held, completed);
    await checkBooks(stage);
    const slowest = Math.max(...completed.map(({ seconds }) => seconds));
    const ratio = slowest / LEAST_SECONDS;
    const each = completed.map(({ network, seconds }) => `${network} ${seconds.toFixed(1)} s`).join(', ');
    return {
      name: `payouts, ${withdrawals} withdrawals on each of ${NETWORKS.length} networks at once`,
      measured: `${ratio.toFixed(1)} times what blocks take (${each}; ${LEAST_SECONDS} s)`,
      limit: `<= ${RATIO_MAX}`,
      isMet: ratio <= RATIO_MAX,
    };
  } finally {
    await stage.close();
  }
}

/** @throws Error that says what the withdrawals that are left wait for */
async function allCompleted(stage: Stage): Promise<void> {
  try {
    await untilNone(stage, `select from withdrawal where status = 'broadcasting' limit 1`, [], {
      withinMs: COMPLETED_WITHIN_MS,
    });
  } catch (cause) {
    const left = await stage.query(
      `select withdrawal.network, waiting_reason, transaction.status, mined_hash is null as unmined, count(*)::int as count,
              min(withdrawal.id) as first
         from withdrawal left join chain_transaction transaction on purpose_id = withdrawal.id
        where withdrawal.status = 'broadcasting' group by 1, 2, 3, 4`,
    );
    throw new Error(`Withdrawals were not completed in time: ${JSON.stringify(left)}`, { cause });
  }
}

const destinationOn = (network: string): string =>
  NEW_ADDRESSES.get(network)?.() ?? `0x${randomBytes(20).toString('hex')}`;

/** @throws Error unless each withdrawal was completed */
async function completedOf(stage: Stage): Promise<readonly Completed[]> {
  const completed = await stage.query<Completed>(
    `select chain.network, extract(epoch from max(completed_at) - min(min(withdrawal.created_at)) over ())::float8 as seconds,
            (count(*) filter (where status <> 'completed'))::int as failed, sum(amount)::text as units
       from withdrawal join chain on chain.id = withdrawal.chain_ref group by chain.network order by seconds`,
  );
  if (completed.length < NETWORKS.length || completed.some(({ failed }) => failed > 0))
    throw new Error('Not every withdrawal was completed.');
  return completed;
}

/** @throws Error unless the hot wallets that no nonce protects have paid exactly the withdrawals, by their chains */
async function checkPaid(
  wallets: readonly FundedWallet[],
  held: readonly (bigint | null)[],
  completed: readonly Completed[],
): Promise<void> {
  for (const [nth, wallet] of wallets.entries()) {
    const [before, after] = [held[nth] ?? null, await heldUsdc(wallet)];
    if (before === null || after === null) continue;
    const ordered = completed.find(({ network }) => network === wallet.network)?.units ?? '0';
    if (before - after !== BigInt(ordered))
      throw new Error(`The hot wallet on ${wallet.network} paid ${before - after} instead of ${ordered}.`);
  }
}
