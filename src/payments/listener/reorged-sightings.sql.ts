import { given, unnest } from '../../platform/sql/given.js';
import { sql } from '../../platform/sql/sql.js';
import { set, table } from '../../platform/sql/table.js';
import { Deposit } from '../deposits/deposit.entity.js';
import { isReversedAndReorged } from '../deposits/reorged-deposit.sql.js';
import type { DepositRow } from './deposit-writer.sql.js';

const deposit = table(Deposit);
const again = given('again', {
  txHash: 'text',
  position: 'int',
  tokenContract: 'text',
  to: 'text',
  amount: 'numeric',
  blockHeight: 'bigint',
  blockHash: 'text',
  blockTime: 'timestamptz',
});

/**
 * Stores the new block of each transfer that was final, was reorged and is read again. A deposit in the books stays marked
 * until that block is final. The mark of one that was booked out is removed at once: its coins count again, so that the
 * balance of its address shows no second payment.
 */
export function updateReorged(chainRef: string, rows: readonly DepositRow[]) {
  const moved = {
    blockHeight: again.blockHeight,
    blockHash: again.blockHash,
    blockTime: again.blockTime,
    goneAt: sql`case when ${isReversedAndReorged} then null else ${deposit.goneAt} end`,
  };
  return sql`
    update ${deposit} set ${set(deposit, moved)} from ${unnest(again, rows)}
     where ${deposit.chainRef} = ${chainRef} and ${deposit.txHash} = ${again.txHash}
       and ${deposit.position} = ${again.position} and ${deposit.goneAt} is not null
       and (${deposit.tokenContract}, ${deposit.toAddress}, ${deposit.amount})
         = (${again.tokenContract}, ${again.to}, ${again.amount})`;
}

/** Marks deposits that were booked out and read again, when a reorg removed their block above a height. */
export const markReorgedAgain = (chainRef: string, height: number) => sql`
  update ${deposit} set ${set(deposit, { goneAt: sql`now()` })}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.goneAt} is null and ${deposit.reversedAt} is not null
     and ${deposit.restoredAt} is null and ${deposit.blockHeight} > ${height}`;
