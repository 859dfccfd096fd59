import type { FakeNode } from './fake-node.js';

/** The head of the made-up chain; its newest final block is two below. */
export const HEAD = 20;
export const FINAL = HEAD - 2;

const word = (digits: string): string => `0x${digits.padStart(64, '0')}`;
const hex = (height: number): string => `0x${height.toString(16)}`;

/** The hash of a block, and of the only transaction in it. */
export const hashOf = (height: number): string => word(`b${height.toString(16).padStart(4, '0')}`);
export const txOf = (height: number): string => word(`7${height.toString(16).padStart(4, '0')}`);

export const headerOf = (height: number) => ({
  number: hex(height),
  hash: hashOf(height),
  parentHash: height === 0 ? word('0') : hashOf(height - 1),
  timestamp: hex(height),
});

/** Each block holds one transaction with two transfers, of 5 and of 6. */
export const logsOf = (height: number) =>
  [5, 6].map((value, index) => ({
    address: `0x${'ee'.repeat(20)}`,
    topics: [word('dd'), word('01'), word('02')],
    data: word(value.toString(16)),
    blockNumber: hex(height),
    blockHash: hashOf(height),
    transactionHash: txOf(height),
    logIndex: hex(index),
  }));

export const receiptOf = (height: number) => ({
  transactionHash: txOf(height),
  blockNumber: hex(height),
  blockHash: hashOf(height),
  status: '0x1',
  logs: logsOf(height),
});

const heights = Array.from({ length: HEAD + 1 }, (_, height) => height);
const heightOfTag = (tag: unknown): number => {
  if (tag === 'latest') return HEAD;
  return tag === 'finalized' || tag === 'safe' ? FINAL : Number(tag);
};
const found = <Thing>(height: number | undefined, thing: (height: number) => Thing): Thing | null =>
  height === undefined || height > HEAD ? null : thing(height);

function logs(filter: unknown): unknown {
  const { blockHash, fromBlock, toBlock } = filter as Partial<Record<string, string>>;
  return heights
    .filter((height) =>
      blockHash === undefined ? height >= Number(fromBlock) && height <= Number(toBlock) : hashOf(height) === blockHash,
    )
    .flatMap(logsOf);
}

/** A chain without new blocks, as an honest node of it answers. */
export const STILL_CHAIN: FakeNode['methods'] = {
  eth_chainId: () => '0x7a69',
  net_version: () => '31337',
  eth_blockNumber: () => hex(HEAD),
  eth_getBlockByNumber: (tag) => found(heightOfTag(tag), headerOf),
  eth_getBlockByHash: (hash) =>
    found(
      heights.find((height) => hashOf(height) === hash),
      headerOf,
    ),
  eth_getBlockTransactionCountByHash: (hash) =>
    found(
      heights.find((height) => hashOf(height) === hash),
      () => '0x1',
    ),
  eth_getTransactionReceipt: (tx) =>
    found(
      heights.find((height) => txOf(height) === tx),
      receiptOf,
    ),
  eth_getTransactionByHash: (tx) =>
    found(
      heights.find((height) => txOf(height) === tx),
      (height) => ({ hash: txOf(height), blockNumber: hex(height) }),
    ),
  eth_getLogs: logs,
  eth_getBalance: (_address, block) => hex(1000 + heightOfTag(block)),
};
