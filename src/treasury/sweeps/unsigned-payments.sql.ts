/** SQL: all unsigned payments of hot wallets, with their waiting reasons. */
export const UNSIGNED_PAYMENTS = `(
  select chain_ref, token_contract, amount, waiting_reason from withdrawal
   where status = 'broadcasting' and signed_at is null
   union all
  select deposit.chain_ref, deposit.token_contract, deposit.amount, deposit_return.waiting_reason
    from deposit_return join deposit on deposit.id = deposit_return.deposit_id
   where deposit_return.status = 'broadcasting' and deposit_return.signed_at is null)`;
