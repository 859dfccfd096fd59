import { setTimeout as sleep } from 'node:timers/promises';
import { compare, CONNECTIONS, inTurns, median } from '../duel.ts';
import { type FilledPocket, fillPockets, withdrawalBody } from '../filled-pockets.ts';
import type { Figure } from '../report.ts';
import { checkSameWrites } from '../same-statements.ts';
import type { Stage } from '../stage.ts';
import { takeBackOrders } from '../take-back.ts';
import { untilNone } from '../until-none.ts';

const RATIO_MIN = 0.5;
const POCKETS = 100;
const PATH = '/v1/withdrawals';
/** An address that nobody pays from, nor is listed. */
const DESTINATION = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const FROZEN = 'The bench measures orders, not payments.';
/** After so long neither server remembers a key: merchants do not withdraw twice a second. */
const FORGOTTEN_MS = 600;
/** Under which the service seals entries. */
const SEALING = `hashtextextended('coffer:ledger.seal', 0)`;

interface Turn {
  readonly perSecond: number;
  readonly p50Ms: number;
}

/**
 * Throughput of `POST /v1/withdrawals` over 100 pockets, beside the bare server's. A pocket has one withdrawal in flight, so a
 * turn is made of rounds of one order for each pocket; after each round its orders are taken back, which is not measured.
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
    const results = await inTurns(
      pairs,
      () => serviceTurn(stage, pockets, rounds),
      () => bareTurn(stage, pockets, rounds),
    );
    const { one, other, ratio } = compare(results.map(([service, bare]) => [service.perSecond, bare.perSecond]));
    const p50Ms = median(results.map(([service]) => service.p50Ms));
    return {
      name: `withdrawals, ${POCKETS} pockets, ${CONNECTIONS} connections`,
      measured: `${ratio.toFixed(2)} of bare node (${one.toFixed(0)}/s : ${other.toFixed(0)}/s, median ${p50Ms.toFixed(1)} ms)`,
      limit: `>= ${RATIO_MIN}`,
      isMet: ratio >= RATIO_MIN,
    };
  } finally {
    await freezeHotWallets(stage, null);
  }
}

/** The vault looks at every order, finds that it may not sign, and writes that down: orders it has not looked at stay. */
async function serviceTurn(stage: Stage, pockets: readonly FilledPocket[], rounds: number): Promise<Turn> {
  const turn = await rounded(stage, stage.service.url, pockets, rounds, () =>
    untilNone(stage, `select from withdrawal where status = 'broadcasting' and waiting_reason is null limit 1`),
  );
  // What is left to seal would fall into the other side's turn.
  await untilNone(stage, `select from unsealed_entry limit 1`);
  return turn;
}

/** The service would seal these entries, in this turn or in its own: it waits, and does so before its own begins. */
async function bareTurn(stage: Stage, pockets: readonly FilledPocket[], rounds: number): Promise<Turn> {
  await stage.query(`select pg_advisory_lock(${SEALING})`);
  const turn = await rounded(stage, stage.bareUrl, pockets, rounds, () => Promise.resolve());
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
    urls: [url],
    apiKey: pockets.map(({ apiKey }) => apiKey),
    connections: CONNECTIONS,
    count: pockets.length,
    paths: [PATH],
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
    if (pocket === undefined) throw new Error('Every pocket has its order.');
    return { path: PATH, apiKey: pocket.apiKey, body: withdrawalBody(pocket, DESTINATION) };
  });
  await takeBackOrders(stage);
}

/** The vault signs nothing while a reason stands there. */
async function freezeHotWallets(stage: Stage, reason: string | null): Promise<void> {
  await untilNone(
    stage,
    `select from chain where active and not exists (select from hot_wallet where chain_ref = chain.id)`,
  );
  await stage.query(`update hot_wallet set frozen_reason = $1`, [reason]);
}
