import { REVERSED_AND_REORGED } from '../deposits/reorged-deposit.sql.js';
import { type Tx, sql } from '../../platform/database/database.js';
import type { DepositRow } from './deposit-writer.js';

/**
 * Stores the new block of each transfer that was final, was reorged and is read again. A deposit in the books stays
 * marked until that block is final. The mark of one that was booked out is removed at once: its coins count again, so
 * that the balance of its address shows no second payment.
 */
export async function updateBlocks(tx: Tx, chainRef: string, rows: readonly DepositRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql(
    tx,
    `update deposit
        set block_height = seen.height, block_hash = seen.hash, block_time = seen.time,
            gone_at = case when ${REVERSED_AND_REORGED} then null else gone_at end
       from unnest($2::text[], $3::int[], $4::text[], $5::text[], $6::numeric[], $7::bigint[], $8::text[],
                   $9::timestamptz[])
         as seen (tx_hash, position, token, recipient, amount, height, hash, time)
      where deposit.chain_ref = $1 and deposit.tx_hash = seen.tx_hash and deposit.position = seen.position
        and deposit.gone_at is not null
        and (deposit.token_contract, deposit.to_address, deposit.amount) = (seen.token, seen.recipient, seen.amount)`,
    [
      chainRef,
      rows.map((row) => row.txHash),
      rows.map((row) => row.position),
      rows.map((row) => row.tokenContract),
      rows.map((row) => row.to),
      rows.map((row) => row.amount),
      rows.map((row) => row.blockHeight),
      rows.map((row) => row.blockHash),
      rows.map((row) => row.blockTime),
    ],
  );
}

/** Marks deposits that were booked out and read again, when a reorg removed their block above `height`. */
export async function markReorgedAgain(tx: Tx, chainRef: string, height: number): Promise<void> {
  await sql(
    tx,
    `update deposit set gone_at = now()
      where chain_ref = $1 and gone_at is null and reversed_at is not null and restored_at is null
        and block_height > $2`,
    [chainRef, height],
  );
}
