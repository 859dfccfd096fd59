import { startChain } from '../anvil.ts';
import type { CatchUpOrder } from '../bare-catch-up.ts';
import { startChild } from '../child.ts';
import { networkProfile } from '../compiled.ts';
import { median } from '../duel.ts';
import { type CatchUpStage, setCatchUpStage } from '../catch-up-stage.ts';
import type { Figure } from '../report.ts';
import { mineTransfers, placeStormToken, TRANSFER_TOPIC } from '../transfer-storm.ts';

const RATIO_MIN = 0.6;
const GROWTH_MAX = 1.2;
const TRANSFERS_PER_BLOCK = 10;
/** One transfer in so many pays us; the others are the rest of the world. */
const OURS_EVERY = 100;
const STRANGER = `0x${'ab'.repeat(20)}`;

export interface CatchUpSizes {
  readonly blocks: number;
  readonly addresses: number;
  readonly manyAddresses: number;
  readonly runs: number;
}

/** Blocks per second of a listener that was away, beside a loop that only fetches and parses; and with more addresses. */
export async function measureCatchUp(
  dir: string,
  { blocks, addresses, manyAddresses, runs }: CatchUpSizes,
): Promise<Figure[]> {
  const profile = networkProfile('sandbox', 'ethereum');
  const token = profile?.tokens.find(({ symbol }) => symbol === 'USDC')?.contract;
  if (profile === null || token === undefined) throw new Error('The catalogue offers no USDC on ethereum.');
  const chain = await startChain(Number(profile.chainId));
  const stage = await setCatchUpStage(dir, chain.url);
  try {
    await placeStormToken(chain, token);
    await chain.ask('anvil_mine', '0x64');
    await stage.prepare(addresses);
    const from = Number(await chain.ask<string>('eth_blockNumber')) + 1;
    await mineTransfers(chain, token, transfersTo(await stage.paidAddresses(), blocks));
    await chain.ask('anvil_mine', '0x3');
    const to = Number(await chain.ask<string>('eth_blockNumber'));
    const order: CatchUpOrder = { url: chain.url, token, topic: TRANSFER_TOPIC, from, to };
    const few = await measure(stage, runs, () => fetchOnly(order));
    await stage.addAddresses(manyAddresses);
    const many = await measure(stage, runs);
    const ratio = few.bareSeconds / few.seconds;
    const growth = many.seconds / few.seconds;
    return [
      {
        name: `catch-up, ${to - from + 1} blocks, ${addresses} addresses`,
        measured: `${ratio.toFixed(2)} of a bare loop (${few.seconds.toFixed(2)} s : ${few.bareSeconds.toFixed(2)} s, ${few.megabytes.toFixed(0)} MB)`,
        limit: `>= ${RATIO_MIN}`,
        isMet: ratio >= RATIO_MIN,
      },
      {
        name: `catch-up, ${manyAddresses} addresses`,
        measured: `${growth.toFixed(2)} times as long (${many.seconds.toFixed(2)} s, ${many.megabytes.toFixed(0)} MB)`,
        limit: `<= ${GROWTH_MAX}`,
        isMet: growth <= GROWTH_MAX,
      },
    ];
  } finally {
    await stage.close();
    await chain.stop();
  }
}

/** In a process as new as the listener's, so that both begin with cold code. */
async function fetchOnly(order: CatchUpOrder): Promise<number> {
  const bare = startChild('bare-catch-up.ts');
  bare.send(order);
  const seconds = await bare.next<number>();
  await bare.end();
  return seconds;
}

function transfersTo(paid: readonly string[], blocks: number): string[][] {
  const recipient = (n: number): string =>
    (n % OURS_EVERY === 0 ? paid[(n / OURS_EVERY) % paid.length] : null) ?? STRANGER;
  return Array.from({ length: blocks }, (_, block) =>
    Array.from({ length: TRANSFERS_PER_BLOCK }, (__, place) => recipient(block * TRANSFERS_PER_BLOCK + place)),
  );
}

interface Measured {
  readonly seconds: number;
  readonly bareSeconds: number;
  readonly megabytes: number;
}

/** Medians over the runs; the first pair warms both up and does not count. */
async function measure(stage: CatchUpStage, runs: number, bare?: () => Promise<number>): Promise<Measured> {
  const all: Measured[] = [];
  for (let run = 0; run <= runs; run++) {
    const bareSeconds = (await bare?.()) ?? 0;
    all.push({ ...(await stage.catchUp()), bareSeconds });
  }
  const counted = all.slice(1);
  return {
    seconds: median(counted.map(({ seconds }) => seconds)),
    bareSeconds: median(counted.map(({ bareSeconds }) => bareSeconds)),
    megabytes: median(counted.map(({ megabytes }) => megabytes)),
  };
}
