import { setTimeout as sleep } from 'node:timers/promises';
import { compare, CONNECTIONS, type DuelResult, duelText, inTurns, median } from '../duel.ts';
import { type FilledPocket, fillPockets, withdrawalBody } from '../filled-pockets.ts';
import type { Figure } from '../report.ts';
import { checkSameWrites } from '../same-statements.ts';
import type { Stage } from '../stage.ts';
import { takeBackOrders } from '../take-back.ts';
import { untilNone } from '../until-none.ts';

const RATIO_MIN = 0.6;
const POCKETS = 100;
const PATH = '/v1/withdrawals';
/** An address that is not ours and not listed. */
const DESTINATION = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const FROZEN = 'The bench measures orders, not payments.';
/** After this time neither server has a key in its cache: merchants do not withdraw twice a second. */
const FORGOTTEN_MS = 600;
/** The lock under which the service seals entries. */
const SEALING = `hashtextextended('coffer:ledger.seal', 0)`;

interface Turn {
  readonly perSecond: number;
  readonly p50Ms: number;
}

/**
 * Measures the throughput of `POST /v1/withdrawals` over 100 pockets, compared with the bare server. A pocket has one
 * withdrawal in flight, so a turn has rounds of one order per pocket; after each round its orders are cancelled, which is
 * not measured.
 */
export async function measureWithdrawals(
  stage: Stage,
  { pairs, rounds }: { pairs: number; rounds: number },
): Promise<Figure> {
  const pockets = await fillPockets(stage, ['polygon'], POCKETS);
  await freezeHotWallets(stage, FROZEN);
  try {
    await checkSameOrders(stage, pockets);
    await stage.query('vacuum analyze');
    await stage.query('checkpoint');
    const ours = () => serviceTurn(stage, pockets, rounds);
    const best = duelOf(await inTurns(pairs, ours, () => bareTurn(stage, pockets, rounds, '')));
    const inTransaction = duelOf(await inTurns(pairs, ours, () => bareTurn(stage, pockets, rounds, '/in-transaction')));
    return {
      name: `withdrawals, ${POCKETS} pockets, ${CONNECTIONS} connections`,
      measured: duelText(best, inTransaction),
      limit: `>= ${RATIO_MIN}`,
      isMet: best.ratio >= RATIO_MIN,
    };
  } finally {
    await freezeHotWallets(stage, null);
  }
}

function duelOf(turns: readonly (readonly [service: Turn, bare: Turn])[]): DuelResult {
  const { one, other, ratio } = compare(turns.map(([service, bare]) => [service.perSecond, bare.perSecond]));
  return { service: one, bare: other, ratio, servicep50Ms: median(turns.map(([service]) => service.p50Ms)) };
}

/** Waits until the vault has checked every order and recorded that it may not sign, because unchecked orders remain. */
async function serviceTurn(stage: Stage, pockets: readonly FilledPocket[], rounds: number): Promise<Turn> {
  const turn = await rounded(stage, stage.service.url + PATH, pockets, rounds, () =>
    untilNone(stage, `select from withdrawal where status = 'broadcasting' and waiting_reason is null limit 1`),
  );
  // Otherwise the remaining seals would be written in the other side's turn.
  await untilNone(stage, `select from unsealed_entry limit 1`);
  return turn;
}

/** Blocks the service's seals of these entries in this turn, and lets it write them before its own turn. */
async function bareTurn(
  stage: Stage,
  pockets: readonly FilledPocket[],
  rounds: number,
  prefix: '' | '/in-transaction',
): Promise<Turn> {
  await stage.query(`select pg_advisory_lock(${SEALING})`);
  const turn = await rounded(stage, stage.bareUrl + prefix + PATH, pockets, rounds, () => Promise.resolve());
  await stage.query(`select pg_advisory_unlock(${SEALING})`);
  await untilNone(stage, `select from unsealed_entry limit 1`);
  return turn;
}

async function rounded(
  stage: Stage,
  url: string,
  pockets: readonly FilledPocket[],
  rounds: number,
  settled: () => Promise<void>,
): Promise<Turn> {
  const order = {
    urls: [new URL(url).origin],
    apiKey: pockets.map(({ apiKey }) => apiKey),
    connections: CONNECTIONS,
    count: pockets.length,
    paths: [new URL(url).pathname],
    body: pockets.map((pocket) => withdrawalBody(pocket, DESTINATION)),
  };
  let seconds = 0;
  const p50s: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { perSecond, p50Ms } = await stage.load(order);
    seconds += order.count / perSecond;
    p50s.push(p50Ms);
    await Promise.all([settled(), sleep(FORGOTTEN_MS)]);
    await takeBackOrders(stage);
  }
  return { perSecond: (rounds * order.count) / seconds, p50Ms: median(p50s) };
}

async function checkSameOrders(stage: Stage, pockets: readonly FilledPocket[]): Promise<void> {
  const left = pockets.values();
  await checkSameWrites(stage, 'withdrawals', () => {
    const { value: pocket } = left.next();
    if (pocket === undefined) throw new Error('There are more orders than pockets.');
    return { path: PATH, apiKey: pocket.apiKey, body: withdrawalBody(pocket, DESTINATION) };
  });
  await takeBackOrders(stage);
}

/** Freezes the hot wallets with a reason, so that the vault signs nothing; null unfreezes them. */
async function freezeHotWallets(stage: Stage, reason: string | null): Promise<void> {
  await untilNone(
    stage,
    `select from chain where active and not exists (select from hot_wallet where chain_ref = chain.id)`,
  );
  await stage.query(`update hot_wallet set frozen_reason = $1`, [reason]);
}
