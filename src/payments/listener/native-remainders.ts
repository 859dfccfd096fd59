import type { BlockRef } from '../../chains/chain.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { REVERSED_AND_REORGED } from '../deposits/reorged-deposit.sql.js';
import { markDirty } from '../intents/dirty-intents.js';
import { type Tx, sql } from '../../platform/database/database.js';
import type { AddressBalance } from './chain-reader.js';
import type { DepositRow } from './deposit-writer.js';

/**
 * SQL: the coins that the books have on an address (`address.id`) of the chain `$1` after the block of height `$4`, and
 * the height of the newest deposit. Final sweeps are subtracted. A sweep that is not final may have taken coins
 * already: this shows as a shortfall that is none, and coins that arrive meanwhile are counted too low by as much until
 * the sweep is final. A deposit that was booked out does not count, so that an equal amount that arrives in another way
 * is a payment of its own; unless a sweep had taken it, whose amount is subtracted too.
 */
const KNOWN = `
  select received.units - taken.units as units, received.newest, taken.is_under_way
    from (select coalesce(sum(amount), 0) as units, coalesce(max(block_height), 0) as newest
            from deposit
           where deposit.chain_ref = $1 and deposit.address_id = address.id
             and deposit.token_contract = '${NATIVE_COIN}' and deposit.status <> 'orphaned'
             and not (${REVERSED_AND_REORGED} and not exists (
               select from sweep_item item join sweep on sweep.id = item.sweep_id
                where item.chain_ref = $1 and item.address_id = address.id and item.token_contract = '${NATIVE_COIN}'
                  and item.swept > 0 and item.swept_height >= deposit.block_height
                  and sweep.finished_at < deposit.reversed_at))) received
   cross join (select coalesce(sum(swept) filter (where swept_height <= $4), 0) as units,
                      coalesce(bool_or(swept is null), false) as is_under_way
                 from sweep_item item
                where item.chain_ref = $1 and item.address_id = address.id
                  and item.token_contract = '${NATIVE_COIN}' and (item.swept is null or item.swept > 0)) taken`;

/**
 * A balance that differs from the books, in smallest units; above zero when coins arrived that no transaction explains.
 */
export interface Difference {
  /** The address, lower case. */
  readonly address: string;
  readonly units: bigint;
  /** The intent that expects the coin there, or null. */
  readonly intentId: string | null;
}

/**
 * Returns the balances of one block that differ from the books, as read within the transaction. After a cursor was set
 * back, the books have payments that are younger than the block: a balance below those is no difference.
 */
export async function differences(
  tx: Tx,
  chainRef: string,
  block: BlockRef,
  balances: readonly AddressBalance[],
): Promise<readonly Difference[]> {
  if (balances.length === 0) return [];
  const rows = await sql<{ address: string; units: string; intent_id: string | null }>(
    tx,
    `select read.address, read.balance - known.units as units, intent.id as intent_id
       from unnest($2::text[], $3::numeric[]) as read (address, balance)
       join pool_address address on address.address_key = read.address
      cross join lateral (${KNOWN}) known
       left join payment_intent intent
         on intent.id = address.intent_id and intent.chain_ref = $1 and intent.token_contract = '${NATIVE_COIN}'
      where read.balance > known.units
         or (read.balance < known.units and known.newest <= $4 and not known.is_under_way)`,
    [chainRef, balances.map(({ address }) => address), balances.map(({ units }) => units.toString()), block.height],
  );
  return rows.map((row) => ({ address: row.address, units: BigInt(row.units), intentId: row.intent_id }));
}

/**
 * SQL: whether a sweep of the coins on the address of a deposit of the chain `$1` is under way. A balance below the
 * books is no shortfall then, so nothing contradicts a balance that was reported too high.
 */
export const IS_SWEPT_NOW = `exists (
  select from sweep_item item
   where item.chain_ref = $1 and item.address_id = deposit.address_id and item.token_contract = '${NATIVE_COIN}'
     and item.swept is null)`;

/** SQL: the same for a final sweep in the deposit's block or later; the balance must be read once more after it. */
export const WAS_SWEPT_SINCE = `exists (
  select from sweep_item item
   where item.chain_ref = $1 and item.address_id = deposit.address_id and item.token_contract = '${NATIVE_COIN}'
     and item.swept > 0 and item.swept_height >= deposit.block_height)`;

/** Returns the addresses with remainders that are not final yet and of which a sweep is under way. */
export async function remaindersUnderSweep(tx: Tx, chainRef: string): Promise<readonly string[]> {
  const rows = await sql<{ address_id: string }>(
    tx,
    `select distinct address_id from deposit
      where chain_ref = $1 and status = 'seen' and tx_hash is null and ${IS_SWEPT_NOW}`,
    [chainRef],
  );
  return rows.map((row) => row.address_id);
}

/**
 * Orphans the remainders that are not final on addresses (lower case) that hold less than the books say: the balance
 * was too high, for example because the node reported it of a later block. Returns the intents of these rows.
 */
export async function withdrawRemainders(
  tx: Tx,
  chainRef: string,
  addresses: readonly string[],
): Promise<readonly { intent_id: string | null }[]> {
  if (addresses.length === 0) return [];
  const remainders = await sql<{ id: string; intent_id: string | null }>(
    tx,
    `select deposit.id, deposit.intent_id
       from deposit join pool_address address on address.id = deposit.address_id
      where deposit.chain_ref = $1 and deposit.tx_hash is null and deposit.status = 'seen'
        and address.address_key = any($2)`,
    [chainRef, addresses],
  );
  if (remainders.length === 0) return [];
  await markDirty(tx, [...new Set(remainders.flatMap((row) => row.intent_id ?? []))]);
  await sql(tx, `update deposit set status = 'orphaned' where id = any($1)`, [remainders.map(({ id }) => id)]);
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
  rows: readonly DepositRow[],
): Promise<readonly DepositRow[]> {
  const native = rows.filter((row) => row.tokenContract === NATIVE_COIN);
  if (native.length === 0) return rows;
  const covered = await sql<{ tx_hash: string }>(
    tx,
    `select seen.tx_hash
       from unnest($2::text[], $3::text[], $4::bigint[]) as seen (tx_hash, recipient, height)
       join pool_address address on address.address_key = seen.recipient
      where exists (
              select from deposit remainder
               where remainder.chain_ref = $1 and remainder.address_id = address.id and remainder.tx_hash is null
                 and remainder.status <> 'orphaned' and remainder.block_height >= seen.height)
        and not exists (
              select from deposit known
               where known.chain_ref = $1 and known.tx_hash = seen.tx_hash
                 and known.token_contract = '${NATIVE_COIN}' and known.status <> 'orphaned')`,
    [chainRef, native.map((row) => row.txHash), native.map((row) => row.to), native.map((row) => row.blockHeight)],
  );
  const hashes = new Set(covered.map((row) => row.tx_hash));
  return rows.filter((row) => row.tokenContract !== NATIVE_COIN || row.txHash === null || !hashes.has(row.txHash));
}
