/**
 * Reads Tron as the listener does, without its database: headers, then both answers about each block, matched against the
 * addresses in memory. Run by `fork`; takes a `TronOrder`, answers with `TronRun`.
 */
import { place } from './compiled.ts';

const { TronClient }: typeof import('../src/chains/tron/tron-client.js') = await import(
  place('chains/tron/tron-client.js')
);
const { keyOfHash }: typeof import('../src/chains/tron/tron-address.js') = await import(
  place('chains/tron/tron-address.js')
);
const { AddressTable }: typeof import('../src/payments/listener/address-table.js') = await import(
  place('payments/listener/address-table.js')
);
const { readStep }: typeof import('../src/payments/listener/chain-reader.js') = await import(
  place('payments/listener/chain-reader.js')
);

const BLOCKS_PER_STEP = 400;
const NOTHING = { transactions: true, balancesOf: [] };

/** Blocks 1 to `blocks` of the node at `url`; addresses by their 20 bytes in hex. */
export interface TronOrder {
  readonly url: string;
  readonly blocks: number;
  readonly usdt: string;
  readonly addresses: readonly string[];
}

/** How long it took, and what was read. */
export interface TronRun {
  readonly seconds: number;
  readonly transactions: number;
  readonly found: number;
}

async function run({ url, usdt, addresses }: TronOrder): Promise<TronRun> {
  const table = new AddressTable();
  for (const address of addresses) table.add(address);
  const client = new TronClient({ profile: { network: 'tron', tokens: [] }, rpcUrl: url });
  const recorded = new Map<number, string>();
  const genesis = await client.headerAt(0);
  let cursor = { height: 0, hash: genesis?.hash ?? '', finalizedHeight: 0 };
  let found = 0;
  const startedAt = performance.now();
  for (;;) {
    const { blocks, isCaughtUp, finalizedHeight } = await readStep(client, cursor, {
      blocksMax: BLOCKS_PER_STEP,
      tokens: [keyOfHash(usdt)],
      refreshWatched: async () => (address) => table.has(address),
      native: { plan: async () => NOTHING, planWithoutBlocks: () => NOTHING, readAsOf: (time) => time },
      recordedHashAt: async (height) => recorded.get(height) ?? null,
    });
    for (const { header, sightings } of blocks) {
      recorded.set(header.height, header.hash);
      found += sightings.length;
    }
    const top = blocks.at(-1)?.header;
    if (top !== undefined) cursor = { height: top.height, hash: top.hash, finalizedHeight };
    if (isCaughtUp) break;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await client.close();
  return { seconds, transactions: 0, found };
}

async function reply(order: TronOrder): Promise<void> {
  process.send?.(await run(order));
}

process.once('message', (order: TronOrder) => void reply(order));
