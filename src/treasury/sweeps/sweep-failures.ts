import { type Tx, sql } from '../../platform/database/database.js';

/** Failed tries after which a balance is set aside. */
const TRIES = 3;
const RETRY_AFTER = '10 minutes';
const REASON = `Nothing reached the hot wallet in ${TRIES} tries.`;

/**
 * Counts a failure for each balance that an ended sweep did not bring, and resets the count of the others. The count is
 * of failures in a row; each pause is longer than the previous one, and the last failure sets the balance aside.
 * @param tried the number of first items that were tried; the rest cannot have failed
 */
export async function countFailures(
  tx: Tx,
  { sweepId, tried }: { readonly sweepId: string; readonly tried: number },
): Promise<void> {
  await sql(
    tx,
    `update deposit_balance balance
        set failures = case when item.swept > 0 then 0 else failures + 1 end,
            retry_at = case when item.swept > 0 then null else now() + (failures + 1) * $2::interval end,
            set_aside_reason = case when item.swept = 0 and failures + 1 >= $3 then $4 end
       from sweep_item item
      where item.sweep_id = $1 and (item.swept > 0 or item.position < $5) and balance.chain_ref = item.chain_ref
        and balance.token_contract = item.token_contract and balance.address_id = item.address_id`,
    [sweepId, RETRY_AFTER, TRIES, REASON, tried],
  );
}

/** The place of a balance. */
export interface BalancePlace {
  readonly token: string;
  readonly addressId: string;
}

/**
 * Counts a failure for balances that the chain does not hold, or whose address is no plain one: no sweep is tried for
 * them.
 */
export async function countUnsweepable(tx: Tx, chainRef: string, places: readonly BalancePlace[]): Promise<void> {
  if (places.length === 0) return;
  await sql(
    tx,
    `update deposit_balance balance
        set failures = failures + 1, retry_at = now() + (failures + 1) * $4::interval,
            set_aside_reason = case when failures + 1 >= $5 then $6 end
       from unnest($2::text[], $3::bigint[]) as place (token, address)
      where balance.chain_ref = $1 and balance.token_contract = place.token and balance.address_id = place.address
        and balance.sweep_id is null and balance.set_aside_reason is null`,
    [chainRef, places.map(({ token }) => token), places.map(({ addressId }) => addressId), RETRY_AFTER, TRIES, REASON],
  );
}
