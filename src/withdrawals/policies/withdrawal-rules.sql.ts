// SQL about one row of `withdrawal`, which the statement around it calls so.

/**
 * Until when the destination is new to the merchant; null where no rule has it wait. It is known from the first withdrawal
 * to it on, or since it is on the allow-list. One that failed makes nothing known: staff may have cancelled it as a theft.
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

/** Whether an operator approved these very terms. */
export const IS_APPROVED = `
  exists (select from withdrawal_approval approval
           where approval.withdrawal_id = withdrawal.id
             and (approval.chain_ref, approval.token_contract, approval.amount, approval.destination_key)
               = (withdrawal.chain_ref, withdrawal.token_contract, withdrawal.amount, withdrawal.destination_key))`;

/** Since when it stands where it stands by nobody's wish: its signature, what let it go that a rule held, or the order. */
export const STANDS_SINCE = `coalesce(withdrawal.signed_at, withdrawal.released_at, withdrawal.created_at)`;
