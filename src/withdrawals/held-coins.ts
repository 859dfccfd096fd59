import { type Tx, sql } from '../platform/database/database.js';
import type { Withdrawal } from './withdrawal.entity.js';

/** An order pays only what the books hold for it: a row alone, however it came about, is no order. */
export async function isHeld(
  tx: Tx,
  { id, pocketId, amount, feeAmount }: Pick<Withdrawal, 'id' | 'pocketId' | 'amount' | 'feeAmount'>,
): Promise<boolean> {
  const held = await sql(
    tx,
    `select from entry join posting on posting.entry_id = entry.id
       join pocket on pocket.id = $2 and pocket.held_account_id = posting.account_id
      where entry.reference = $1 and entry.kind = 'withdrawal' and posting.amount = $3`,
    [`withdrawal:${id}`, pocketId, (amount + feeAmount).toString()],
  );
  return held.length > 0;
}
