import { isUnsigned, PAYMENT_TABLES } from '../transactions/payment-tables.sql.js';
import { PAYMENT_PURPOSES, type PaymentPurpose } from '../transactions/transaction-order.js';
import { isSimulationDue, MAY_BE_SIMULATED } from './payment-simulations.sql.js';

/** SQL: the orders of a table that have no other known obstacle than a simulation, on a chain. */
const waitingOn = (chainRef: string, purpose: PaymentPurpose): string => {
  const { from, terms, isPayable } = PAYMENT_TABLES[purpose];
  return `${from} where ${terms}.chain_ref = ${chainRef} and ${isUnsigned(purpose)} and ${MAY_BE_SIMULATED} and ${isPayable}`;
};

/** Hot wallets that may sign and have payments without another known obstacle. */
export const PAYING_WALLETS_STATEMENT = `
  select wallet.chain_ref, wallet.address_key, chain.network, cursor.finalized_height
    from hot_wallet wallet
    join chain on chain.id = wallet.chain_ref and chain.active and chain.family = 'evm'
    join chain_cursor cursor on cursor.chain_ref = wallet.chain_ref
   where wallet.frozen_reason is null and cursor.halted_reason is null and cursor.finality_doubt is null
     and (${PAYMENT_PURPOSES.map((purpose) => `exists (select from ${waitingOn('wallet.chain_ref', purpose)})`).join(' or ')})`;

/**
 * The payments of a purpose on the chain $1 that are due for a simulation, above (created_at, id) = ($2, $3), $4 at
 * most.
 */
const dueStatement = (purpose: PaymentPurpose): string => {
  const { terms, feeStrategy } = PAYMENT_TABLES[purpose];
  return `
    select ${purpose}.id, ${purpose}.created_at, ${terms}.token_contract, ${terms}.amount, ${purpose}.destination_key,
           ${feeStrategy} as strategy, clock_timestamp() as now
      from ${waitingOn('$1', purpose)}
       and (${purpose}.created_at, ${purpose}.id) > ($2, $3) and ${isSimulationDue(purpose)}
     order by ${purpose}.created_at, ${purpose}.id limit $4`;
};

export const DUE_STATEMENTS: Readonly<Record<PaymentPurpose, string>> = {
  withdrawal: dueStatement('withdrawal'),
  deposit_return: dueStatement('deposit_return'),
};
