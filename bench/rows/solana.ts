import { join } from 'node:path';
import { type Child, startChild } from '../child.ts';
import { compare, inTurns, median } from '../duel.ts';
import type { Figure } from '../report.ts';
import { requestsOf, setSolanaStage, type SolanaStage } from '../solana-stage.ts';
import type { SolanaOrder, SolanaRun } from '../solana-round.ts';

const RATIO_MIN = 0.6;
const CHANGED = 100;
/** Above the requests for balances: the steps, and what explains each change. */
const CALLS_PER_CHANGE = 5;
const CALLS_PER_STEP = 5;
const ADDRESSES_PER_STEP = 10_000;

export interface SolanaSizes {
  readonly addresses: readonly number[];
  readonly runs: number;
  /** The limits of nodes, in requests a second, at which a round over the smallest pool is timed. */
  readonly rates: readonly number[];
}

/** Measures a round over all addresses on Solana against a loop that fetches the same, and at the limits of plans. */
export async function measureSolana(dir: string, { addresses, runs, rates }: SolanaSizes): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [place, count] of addresses.entries()) {
    const stage = await setSolanaStage(join(dir, String(count)), count, CHANGED);
    const node = startChild('solana-node.ts');
    try {
      node.send(stage.state);
      const { url } = await node.next<{ url: string }>();
      const round = { stage, node, url };
      figures.push(...(await besideBare(round, count, runs)));
      if (place === 0) for (const rate of rates) figures.push(await atRate(round, count, rate));
    } finally {
      await node.end();
      await stage.close();
    }
  }
  return figures;
}

interface Round {
  readonly stage: SolanaStage;
  readonly node: Child;
  readonly url: string;
}

interface CountedRun extends SolanaRun {
  readonly calls: number;
}

async function besideBare(round: Round, addresses: number, runs: number): Promise<Figure[]> {
  const pairs = await inTurns(
    runs,
    () => runIn('bare-solana.ts', round, null),
    () => runIn('solana-round.ts', round, null),
  );
  const { one, other, ratio } = compare(pairs.map(([bare, service]) => [bare.seconds, service.seconds]));
  const calls = median(pairs.map(([, service]) => service.calls));
  const callsMax =
    requestsOf(addresses) +
    CHANGED * CALLS_PER_CHANGE +
    CALLS_PER_STEP * Math.ceil(addresses / ADDRESSES_PER_STEP) +
    // The last request of a step is not full.
    Math.ceil(addresses / ADDRESSES_PER_STEP);
  return [
    {
      name: `solana, round over ${addresses} addresses, ${CHANGED} changed`,
      measured: `${ratio.toFixed(2)} of a bare loop (${other.toFixed(2)} s : ${one.toFixed(2)} s)`,
      limit: `>= ${RATIO_MIN}`,
      isMet: ratio >= RATIO_MIN,
    },
    {
      name: `solana, calls of a round over ${addresses} addresses`,
      measured: `${calls}, of which ${requestsOf(addresses)} for balances`,
      limit: `<= ${callsMax}`,
      isMet: calls <= callsMax,
    },
  ];
}

/** The limit is what the requests alone take at half the rate: the other half is for intents that may be paid now. */
async function atRate(round: Round, addresses: number, perSecond: number): Promise<Figure> {
  const { seconds } = await runIn('solana-round.ts', round, perSecond);
  const limit = ((requestsOf(addresses) + CHANGED * CALLS_PER_CHANGE) / perSecond) * 2 + 2;
  return {
    name: `solana, round over ${addresses} addresses at ${perSecond} requests a second`,
    measured: `${seconds.toFixed(1)} s`,
    limit: `<= ${limit.toFixed(0)} s`,
    isMet: seconds <= limit,
  };
}

/** Runs in a new process, so that both sides start with cold code. */
async function runIn(file: string, { stage, node, url }: Round, perSecond: number | null): Promise<CountedRun> {
  const databaseUrl = await stage.freshCopy();
  node.send({});
  await node.next();
  const child = startChild(file);
  const order: SolanaOrder = { url, databaseUrl, chainRef: stage.chainRef, perSecond };
  child.send(order);
  const done = await child.next<SolanaRun>();
  await child.end();
  node.send({});
  const { calls } = await node.next<{ calls: number }>();
  if (done.found !== CHANGED) throw new Error(`${file} found ${done.found} payments instead of ${CHANGED}.`);
  return { ...done, calls };
}
