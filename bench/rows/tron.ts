import { randomBytes } from 'node:crypto';
import { startChild } from '../child.ts';
import { compare, inTurns } from '../duel.ts';
import type { Figure } from '../report.ts';
import type { TronOrder, TronRun } from '../tron-reader.ts';

const RATIO_MIN = 0.6;
const PER_BLOCK = 380;
/** Four transfers of a block go to us: one in a hundred transactions, as far as they are transfers. */
const OURS_PER_BLOCK = 4;
const USDT = 'a614f803b6fd780986a42c78ec9c7f77e6ded13c';

export interface TronSizes {
  readonly blocks: number;
  readonly addresses: number;
  readonly runs: number;
}

/** Measures the reading of Tron's blocks against a loop that only fetches and parses them. */
export async function measureTron({ blocks, addresses: count, runs }: TronSizes): Promise<Figure> {
  const addresses = Array.from({ length: count }, () => randomBytes(20).toString('hex'));
  const node = startChild('tron-node.ts');
  try {
    node.send({ blocks, usdt: USDT, ours: addresses.slice(0, OURS_PER_BLOCK) });
    const { url } = await node.next<{ url: string }>();
    const order: TronOrder = { url, blocks, usdt: USDT, addresses };
    const pairs = await inTurns(
      runs,
      () => runIn('bare-tron.ts', order),
      () => runIn('tron-reader.ts', order),
    );
    for (const [bare, service] of pairs) {
      if (bare.transactions !== blocks * PER_BLOCK) throw new Error(`The loop read ${bare.transactions} transactions.`);
      if (service.found !== blocks * OURS_PER_BLOCK) throw new Error(`The reader found ${service.found} transfers.`);
    }
    const { one, other, ratio } = compare(pairs.map(([bare, service]) => [bare.seconds, service.seconds]));
    return {
      name: `tron, ${blocks} blocks with ${blocks * PER_BLOCK} transactions`,
      measured: `${ratio.toFixed(2)} of a bare loop (${other.toFixed(2)} s : ${one.toFixed(2)} s)`,
      limit: `>= ${RATIO_MIN}`,
      isMet: ratio >= RATIO_MIN,
    };
  } finally {
    await node.end();
  }
}

/** Runs in a new process, so that both sides start with cold code. */
async function runIn(file: string, order: TronOrder): Promise<TronRun> {
  const child = startChild(file);
  child.send(order);
  const done = await child.next<TronRun>();
  await child.end();
  return done;
}
