import type { EntityManager } from '@mikro-orm/postgresql';
import type { BlockRef } from '../../chains/chain.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { markDirty } from '../intents/dirty-intents.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import type { AddressBalance } from './chain-reader.js';
import type { OfIntent } from './deposit-writer.js';
import type { DepositRow } from './deposit-writer.sql.js';
import { findCovered, findDifferences, findRemainders, findUnderSweep, markOrphaned } from './native-remainders.sql.js';

/**
 * A balance that differs from the books, in smallest units; above zero when coins arrived that no transaction explains.
 */
export interface Difference extends Omit<RowOf<typeof findDifferences>, 'units'> {
  readonly units: bigint;
}

/**
 * Returns the balances of one block that differ from the books. After a cursor was set back, the books have payments that
 * are younger than the block: a balance below those is no difference.
 */
export async function differences(
  em: EntityManager,
  chainRef: string,
  block: BlockRef,
  balances: readonly AddressBalance[],
): Promise<readonly Difference[]> {
  if (balances.length === 0) return [];
  const found = await rows(em, findDifferences(chainRef, block.height, balances));
  return found.map(({ address, units, intentId }) => ({ address, units: BigInt(units), intentId }));
}

/** Returns the addresses with remainders that are not final yet and of which a sweep is under way. */
export async function remaindersUnderSweep(tx: Tx, chainRef: string): Promise<readonly string[]> {
  const found = await rows(tx, findUnderSweep(chainRef));
  return found.map(({ addressId }) => addressId);
}

/**
 * Orphans the remainders that are not final on addresses (lower case) that hold less than the books say: the balance
 * was too high, for example because the node reported it of a later block. Returns the intents of these rows.
 */
export async function withdrawRemainders(
  tx: Tx,
  chainRef: string,
  addresses: readonly string[],
): Promise<readonly OfIntent[]> {
  if (addresses.length === 0) return [];
  const remainders = await rows(tx, findRemainders(chainRef, addresses));
  if (remainders.length === 0) return [];
  await markDirty(tx, [...new Set(remainders.flatMap((row) => row.intentId ?? []))]);
  await rows(tx, markOrphaned(remainders.map(({ id }) => id)));
  return remainders;
}

/**
 * Leaves out the native transactions that a remainder covers: coins that a balance showed, at this block or a later
 * one, before their transaction was read. They are in the books, and the balance was read from a block on top of this
 * one. A transaction that is in the books itself stays.
 */
export async function withoutCovered(
  tx: Tx,
  chainRef: string,
  transfers: readonly DepositRow[],
): Promise<readonly DepositRow[]> {
  const native = transfers.filter((row) => row.tokenContract === NATIVE_COIN);
  if (native.length === 0) return transfers;
  const covered = await rows(tx, findCovered(chainRef, native));
  const hashes = new Set(covered.map(({ txHash }) => txHash));
  return transfers.filter((row) => row.tokenContract !== NATIVE_COIN || row.txHash === null || !hashes.has(row.txHash));
}
