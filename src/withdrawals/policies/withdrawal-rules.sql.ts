// SQL about one row of `withdrawal`, under that name in the surrounding statement.

/**
 * When the destination stops being new to the merchant; null when no rule makes it wait. The time counts from the first
 * withdrawal to it, or from its entry on the allow-list. Failed withdrawals do not count: staff may have cancelled a theft.
 */
export const NEW_UNTIL = `
  (select least(
            (select min(earlier.created_at) from withdrawal earlier
              where earlier.merchant_id = withdrawal.merchant_id and earlier.environment = withdrawal.environment
                and earlier.destination_key = withdrawal.destination_key and earlier.status <> 'failed'),
            (select allowed.created_at from allowed_destination allowed
              where allowed.merchant_id = withdrawal.merchant_id and allowed.environment = withdrawal.environment
                and allowed.destination_key = withdrawal.destination_key))
          + rule.new_destination_hours * interval '1 hour'
     from withdrawal_policy rule
    where rule.merchant_id = withdrawal.merchant_id and rule.environment = withdrawal.environment
      and rule.new_destination_hours is not null)`;

/** Whether an operator approved exactly these terms. */
export const IS_APPROVED = `
  exists (select from withdrawal_approval approval
           where approval.withdrawal_id = withdrawal.id
             and (approval.chain_ref, approval.token_contract, approval.amount, approval.destination_key)
               = (withdrawal.chain_ref, withdrawal.token_contract, withdrawal.amount, withdrawal.destination_key))`;

/** The start of its present wait, without the time that a rule held it: its signature, its release by a rule, or its order. */
export const WAITING_SINCE = `coalesce(withdrawal.signed_at, withdrawal.released_at, withdrawal.created_at)`;
