import { z } from 'zod';
import type { Oracle } from './fault.js';

const QUANTITY = /^0x[0-9a-f]+$/i;
const HASH_MAX = 2n ** 256n - 1n;
/** Where blocks, receipts, transactions and logs say which block they belong to. */
const LOCATED = z.union([
  z.looseObject({ blockNumber: z.string() }).transform(({ blockNumber }) => blockNumber),
  z.looseObject({ number: z.string() }).transform(({ number }) => number),
]);

/** A height as nodes write it. */
export const quantity = (height: number): string => `0x${Math.max(0, height).toString(16)}`;

/** The height that a parameter names; null for a tag such as `latest`. */
export function heightIn(value: unknown): number | null {
  return typeof value === 'string' && QUANTITY.test(value) ? Number(value) : null;
}

/** The height of a block, or of the block that something is in; null when it says none. */
export function heightOf(thing: unknown): number | null {
  const { data } = LOCATED.safeParse(thing);
  return data === undefined ? null : heightIn(data);
}

/** The height of the block that the node has under a tag or hash; null when it has none. */
export async function heightAt(node: Oracle, block: unknown): Promise<number | null> {
  const method = typeof block === 'string' && block.length === 66 ? 'eth_getBlockByHash' : 'eth_getBlockByNumber';
  return heightOf(await node.resultOf(method, block, false));
}

/** Another hash in its place, always the same one. */
export function forged(hash: string): string {
  return `0x${(HASH_MAX - BigInt(hash)).toString(16).padStart(64, '0')}`;
}
