import { PAID_TO } from '../../treasury/simulation/payment-simulations.sql.js';
import { type Check, statementCheck } from '../check.js';

/**
 * The rule that payments are simulated before they are signed. After a rollback, the version before signs without
 * simulations, and no money is missing for it: a breach is reported and freezes no wallet.
 */
export const SIMULATED_FIRST = 'signed_payments_were_simulated';

/** SQL: orders that failed because their destination refused the payment. */
const REFUSED = `
  select 'withdrawal' as purpose, id, chain_ref, token_contract, destination_key, failure_code, tx_hash,
         updated_at as ended_at
    from withdrawal where failure_code in ('destination_rejects', 'destination_needs_gas')
   union all
  select 'deposit_return', deposit_return.id, deposit.chain_ref, deposit.token_contract, deposit_return.destination_key,
         deposit_return.failure_code, deposit_return.tx_hash, deposit_return.ended_at
    from deposit_return join deposit on deposit.id = deposit_return.deposit_id
   where deposit_return.failure_code in ('destination_rejects', 'destination_needs_gas')`;

/** SQL: the time since which every signed payment was simulated: the rolling update to simulations has ended by then. */
const SIMULATED_SINCE = `(select simulated_at + interval '1 day' from payment_simulation order by id limit 1)`;

/**
 * A refused payment is refunded and was never signed; a signed payment was simulated first. A row has the time at which its
 * transaction began, which may be before the commit of the rows that it read: hence the tolerance of a minute.
 */
export const REFUSAL_CHECKS: readonly Check[] = [
  statementCheck(
    'refusals_are_unsigned',
    'A payment that failed because its destination refuses it was never signed, and the evidence of the refusal is stored.',
    `select refused.purpose || ' ' || refused.id as row,
            case when signed.id is not null or refused.tx_hash is not null
                   then format('failed with %s, and was signed for', refused.failure_code)
                 else format('failed with %s, and nothing shows that', refused.failure_code) end as says
       from (${REFUSED}) refused
       left join chain_transaction signed
         on signed.purpose = refused.purpose and signed.purpose_id = refused.id and signed.status <> 'superseded'
      where signed.id is not null or refused.tx_hash is not null
         or not (exists (select from payment_simulation simulation
                          where simulation.purpose = refused.purpose and simulation.purpose_id = refused.id
                            and 'destination_' || simulation.outcome = refused.failure_code)
                 or (refused.failure_code = 'destination_rejects'
                     and exists (select from chain_transaction reverted
                                  where reverted.chain_ref = refused.chain_ref and reverted.status = 'reverted'
                                    and reverted.purpose in ('withdrawal', 'deposit_return')
                                    and reverted.token_contract = refused.token_contract
                                    and ${PAID_TO} = refused.destination_key
                                    and reverted.finished_at between refused.ended_at - interval '25 hours'
                                                                 and refused.ended_at + interval '60 seconds')))
      order by 1`,
  ),
  statementCheck(
    SIMULATED_FIRST,
    'Every payment that the vault signed has a simulation of the same terms that accepts it, less than 60 seconds older. ' +
      'The first day of simulations and adopted payments do not count.',
    `select 'chain_transaction ' || sent.id as row, 'was signed, and no simulation of it accepts that' as says
       from (select *, ${PAID_TO} as paid_to from chain_transaction
              where purpose in ('withdrawal', 'deposit_return') and created_at > ${SIMULATED_SINCE}) sent
      where exists (select from vault_audit signed
                     where signed.transaction_id = sent.id and signed.attempt = 1 and signed.verdict = 'signed')
        and not exists (select from payment_simulation simulation
                         where simulation.purpose = sent.purpose and simulation.purpose_id = sent.purpose_id
                           and simulation.outcome = 'accepts'
                           and (simulation.chain_ref, simulation.sender, lower(simulation.token_contract), simulation.amount,
                                simulation.destination_key, simulation.gas_limit)
                             = (sent.chain_ref, sent.sender, lower(sent.token_contract), sent.amount, sent.paid_to,
                                sent.gas_limit)
                           and simulation.simulated_at > sent.created_at - interval '60 seconds'
                           and simulation.simulated_at < sent.created_at + interval '60 seconds')
      order by 1`,
  ),
];
