import { startChain } from '../anvil.ts';
import type { CatchUpOrder } from '../bare-catch-up.ts';
import { startChild } from '../child.ts';
import { networkProfile } from '../compiled.ts';
import { type Comparison, compare, inTurns, median } from '../duel.ts';
import { type CatchUpStage, setCatchUpStage } from '../catch-up-stage.ts';
import type { Figure } from '../report.ts';
import { mineTransfers, placeStormToken, TRANSFER_TOPIC } from '../transfer-storm.ts';

const RATIO_MIN = 0.6;
const GROWTH_MAX = 1.2;
const TRANSFERS_PER_BLOCK = 10;
/** One transfer in this many pays us; the others pay other addresses. */
const OURS_EVERY = 100;
const STRANGER = `0x${'ab'.repeat(20)}`;

export interface CatchUpSizes {
  readonly blocks: number;
  readonly addresses: number;
  readonly manyAddresses: number;
  readonly runs: number;
}

/** Measures a listener that was down, against a loop that only fetches and parses, and with more addresses. */
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
    await stage.prepare(addresses, manyAddresses);
    const from = Number(await chain.ask<string>('eth_blockNumber')) + 1;
    await mineTransfers(chain, token, transfersTo(await stage.paidAddresses(), blocks));
    await chain.ask('anvil_mine', '0x3');
    const to = Number(await chain.ask<string>('eth_blockNumber'));
    const order: CatchUpOrder = { url: chain.url, token, topic: TRANSFER_TOPIC, from, to };
    return [
      ratioFigure(await besideBare(stage, runs, order), { blocks: to - from + 1, addresses }),
      growthFigure(await besideFew(stage, runs), manyAddresses),
    ];
  } finally {
    await stage.close();
    await chain.stop();
  }
}

/** Runs in a new process, like the listener, so that both start with cold code. */
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

/** Median seconds of both sides, and the service's median memory at the end. */
interface Measured extends Comparison {
  readonly megabytes: number;
}

/** The bare loop and the service, in turns. */
async function besideBare(stage: CatchUpStage, runs: number, order: CatchUpOrder): Promise<Measured> {
  const pairs = await inTurns(
    runs,
    async () => ({ seconds: await fetchOnly(order), megabytes: 0 }),
    () => stage.catchUp('few'),
  );
  return {
    ...compare(pairs.map(([bare, service]) => [bare.seconds, service.seconds])),
    megabytes: median(pairs.map(([, service]) => service.megabytes)),
  };
}

/** The service with many addresses and with few, in turns. */
async function besideFew(stage: CatchUpStage, runs: number): Promise<Measured> {
  const pairs = await inTurns(
    runs,
    () => stage.catchUp('many'),
    () => stage.catchUp('few'),
  );
  return {
    ...compare(pairs.map(([many, few]) => [many.seconds, few.seconds])),
    megabytes: median(pairs.map(([many]) => many.megabytes)),
  };
}

function ratioFigure(
  { one: bare, other: service, ratio, megabytes }: Measured,
  { blocks, addresses }: Pick<CatchUpSizes, 'blocks' | 'addresses'>,
): Figure {
  return {
    name: `catch-up, ${blocks} blocks, ${addresses} addresses`,
    measured: `${ratio.toFixed(2)} of a bare loop (${service.toFixed(2)} s : ${bare.toFixed(2)} s, ${megabytes.toFixed(0)} MB)`,
    limit: `>= ${RATIO_MIN}`,
    isMet: ratio >= RATIO_MIN,
  };
}

function growthFigure({ one: many, other: few, ratio, megabytes }: Measured, manyAddresses: number): Figure {
  return {
    name: `catch-up, ${manyAddresses} addresses`,
    measured: `${ratio.toFixed(2)} times as long (${many.toFixed(2)} s : ${few.toFixed(2)} s, ${megabytes.toFixed(0)} MB)`,
    limit: `<= ${GROWTH_MAX}`,
    isMet: ratio <= GROWTH_MAX,
  };
}
