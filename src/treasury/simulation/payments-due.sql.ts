import { isSimulationDue, MAY_BE_SIMULATED } from './payment-simulations.sql.js';
import type { PaymentPurpose } from '../transactions/transaction-order.js';

const WITHDRAWALS_WAIT = `status = 'broadcasting' and signed_at is null and ${MAY_BE_SIMULATED}`;
const RETURNS_WAIT = `
  deposit_return.status = 'broadcasting' and deposit_return.signed_at is null and ${MAY_BE_SIMULATED}
  and deposit.gone_at is null`;

/** Hot wallets that may sign and have payments without another known obstacle. */
export const PAYING_WALLETS_STATEMENT = `
  select wallet.chain_ref, wallet.address_key, chain.network, cursor.finalized_height
    from hot_wallet wallet
    join chain on chain.id = wallet.chain_ref and chain.active and chain.family = 'evm'
    join chain_cursor cursor on cursor.chain_ref = wallet.chain_ref
   where wallet.frozen_reason is null and cursor.halted_reason is null and cursor.finality_doubt is null
     and (exists (select from withdrawal where chain_ref = wallet.chain_ref and ${WITHDRAWALS_WAIT})
          or exists (select from deposit_return join deposit on deposit.id = deposit_return.deposit_id
                      where deposit.chain_ref = wallet.chain_ref and ${RETURNS_WAIT}))`;

/**
 * By purpose: the payments of the chain $1 that are due for a simulation, above (created_at, id) = ($2, $3), $4 at
 * most.
 */
export const DUE_STATEMENTS: Readonly<Record<PaymentPurpose, string>> = {
  withdrawal: `
    select id, created_at, token_contract, amount, destination_key, fee_strategy as strategy, clock_timestamp() as now
      from withdrawal
     where chain_ref = $1 and ${WITHDRAWALS_WAIT} and (created_at, id) > ($2, $3)
       and ${isSimulationDue('withdrawal', 'withdrawal')}
     order by created_at, id limit $4`,
  deposit_return: `
    select deposit_return.id, deposit_return.created_at, deposit.token_contract, deposit.amount,
           deposit_return.destination_key, 'standard' as strategy, clock_timestamp() as now
      from deposit_return join deposit on deposit.id = deposit_return.deposit_id
     where deposit.chain_ref = $1 and ${RETURNS_WAIT} and (deposit_return.created_at, deposit_return.id) > ($2, $3)
       and ${isSimulationDue('deposit_return', 'deposit_return')}
     order by deposit_return.created_at, deposit_return.id limit $4`,
};
