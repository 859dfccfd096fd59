import { type Tx, sql } from '../../platform/database/database.js';

/**
 * Returns those of the withdrawals for which the books hold amount and fee. A row without that booking is not an order, and
 * funds held in a pocket of another merchant, token or network do not count. The caller has locked the rows.
 */
export async function heldAmong(tx: Tx, withdrawalIds: readonly string[]): Promise<ReadonlySet<string>> {
  const held = await sql<{ id: string }>(
    tx,
    `select ordered.id from withdrawal ordered join chain on chain.id = ordered.chain_ref
       join pocket on pocket.id = ordered.pocket_id
        and (pocket.merchant_id, pocket.environment, pocket.network, lower(pocket.token_contract))
          = (ordered.merchant_id, chain.environment, chain.network, lower(ordered.token_contract))
       join entry on entry.reference = 'withdrawal:' || ordered.id and entry.kind = 'withdrawal'
       join posting on posting.entry_id = entry.id and posting.account_id = pocket.held_account_id
      where ordered.id = any($1) and posting.amount = ordered.amount + ordered.fee_amount`,
    [withdrawalIds],
  );
  return new Set(held.map(({ id }) => id));
}
