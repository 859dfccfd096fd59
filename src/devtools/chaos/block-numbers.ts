import { z } from 'zod';
import type { Oracle } from './fault.js';

const QUANTITY = /^0x[0-9a-f]+$/i;
const HASH_MAX = 2n ** 256n - 1n;
/** The block number of blocks, receipts, transactions and logs. */
const LOCATED = z.union([
  z.looseObject({ blockNumber: z.string() }).transform(({ blockNumber }) => blockNumber),
  z.looseObject({ number: z.string() }).transform(({ number }) => number),
]);

/** Formats a height as nodes do. */
export const quantity = (height: number): string => `0x${Math.max(0, height).toString(16)}`;

/** Returns the height of a parameter; null for a tag such as `latest`. */
export function heightIn(value: unknown): number | null {
  return typeof value === 'string' && QUANTITY.test(value) ? Number(value) : null;
}

/** Returns the height of a block, or of the block of a receipt, transaction or log; null when there is none. */
export function heightOf(thing: unknown): number | null {
  const { data } = LOCATED.safeParse(thing);
  return data === undefined ? null : heightIn(data);
}

/** Returns the height of the node's block for a tag or hash; null when it has none. */
export async function heightAt(node: Oracle, block: unknown): Promise<number | null> {
  const method = typeof block === 'string' && block.length === 66 ? 'eth_getBlockByHash' : 'eth_getBlockByNumber';
  return heightOf(await node.resultOf(method, block, false));
}

/** Returns another hash, always the same one for a hash. */
export function forged(hash: string): string {
  return `0x${(HASH_MAX - BigInt(hash)).toString(16).padStart(64, '0')}`;
}
