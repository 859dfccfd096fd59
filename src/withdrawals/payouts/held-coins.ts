import { type Tx, sql } from '../../platform/database/database.js';

/**
 * An order pays only what the books hold for it: a row alone, however it came about, is no order, and what is held in one
 * pocket is nothing of another merchant, token or network. Whoever asks has the order's row locked.
 */
export async function isHeld(tx: Tx, withdrawalId: string): Promise<boolean> {
  const held = await sql(
    tx,
    `select from withdrawal ordered join chain on chain.id = ordered.chain_ref
       join pocket on pocket.id = ordered.pocket_id
        and (pocket.merchant_id, pocket.environment, pocket.network, lower(pocket.token_contract))
          = (ordered.merchant_id, chain.environment, chain.network, lower(ordered.token_contract))
       join entry on entry.reference = $2 and entry.kind = 'withdrawal'
       join posting on posting.entry_id = entry.id and posting.account_id = pocket.held_account_id
      where ordered.id = $1 and posting.amount = ordered.amount + ordered.fee_amount`,
    [withdrawalId, `withdrawal:${withdrawalId}`],
  );
  return held.length > 0;
}
