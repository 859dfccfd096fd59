import { SEQUENCES } from '../../chains/solana/payment-fee.js';
import { Chain } from '../../offers/chain.entity.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Refund } from '../../suspense/refunds/refund.entity.js';
import { PaymentSimulation } from '../../treasury/simulation/payment-simulation.entity.js';
import { paidTo } from '../../treasury/simulation/payment-simulations.sql.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { isNeverMined } from '../../treasury/transactions/never-mined.sql.js';
import { VaultAudit } from '../../treasury/vault-audit.entity.js';
import { Withdrawal } from '../../withdrawals/withdrawal.entity.js';
import { type Check, statementCheck } from '../check.js';

/**
 * The rule that payments are simulated before they are signed. After a rollback, the version before signs without
 * simulations, and no money is missing for it: a breach is reported and freezes no wallet.
 */
export const SIMULATED_FIRST = 'signed_payments_were_simulated';

const chain = table(Chain);
const withdrawal = table(Withdrawal);
const refund = table(Refund);
const deposit = table(Deposit);
const simulation = table(PaymentSimulation, 'simulation');
const signed = table(ChainTransaction, 'signed');
const reverted = table(ChainTransaction, 'reverted');

/** Orders that failed because their destination refused the payment. */
const refused = subselect(
  'refused',
  sql`select 'withdrawal' ${as.text('purpose')},
             ${out(withdrawal, 'id', 'chainRef', 'tokenContract', 'destinationKey', 'failureCode', 'txHash')},
             ${withdrawal.updatedAt.asOrNull('endedAt')}
        from ${withdrawal} where ${withdrawal.failureCode} in ('destination_rejects', 'destination_needs_gas')
       union all
      select 'deposit_return', ${refund.id}, ${deposit.chainRef}, ${deposit.tokenContract}, ${refund.destinationKey},
             ${refund.failureCode}, ${refund.txHash}, ${refund.endedAt}
        from ${refund} join ${deposit} on ${deposit.id} = ${refund.depositId}
       where ${refund.failureCode} in ('destination_rejects', 'destination_needs_gas')`,
);

function refusedAndSigned() {
  const isSimulated = sql`
    exists (select from ${simulation}
             where ${simulation.purpose} = ${refused.purpose} and ${simulation.purposeId} = ${refused.id}
               and 'destination_' || ${simulation.outcome} = ${refused.failureCode})`;
  const wasReverted = sql`
    exists (select from ${reverted}
             where ${reverted.chainRef} = ${refused.chainRef} and ${reverted.status} = 'reverted'
               and ${reverted.purpose} in ('withdrawal', 'deposit_return')
               and ${reverted.tokenContract} = ${refused.tokenContract}
               and ${paidTo(reverted)} = ${refused.destinationKey}
               and ${reverted.finishedAt} between ${refused.endedAt} - interval '25 hours'
                                              and ${refused.endedAt} + interval '60 seconds')`;
  return sql`
    select ${refused.purpose} || ' ' || ${refused.id} ${as.text('row')},
           case when ${signed.id} is not null or ${refused.txHash} is not null
                  then format('failed with %s, and was signed for', ${refused.failureCode})
                else format('failed with %s, and nothing shows that', ${refused.failureCode}) end ${as.text('says')}
      from ${define(refused)}
      left join ${signed} on ${signed.purpose} = ${refused.purpose} and ${signed.purposeId} = ${refused.id}
                         and not ${isNeverMined(signed)}
     where ${signed.id} is not null or ${refused.txHash} is not null
        or not (${isSimulated} or (${refused.failureCode} = 'destination_rejects' and ${wasReverted}))
     order by 1`;
}

function signedUnsimulated() {
  const first = table(PaymentSimulation, 'earliest');
  const payment = table(ChainTransaction, 'payment');
  const verdict = table(VaultAudit, 'verdict');
  // Every signed payment was simulated since then: the rolling update to simulations has ended by then.
  const since = sql`(select ${first.simulatedAt} + interval '1 day' from ${first} order by ${first.id} limit 1)`;
  const sent = subselect(
    'sent',
    sql`select ${out(payment, 'id', 'purpose', 'purposeId', 'chainRef', 'sender', 'tokenContract', 'amount', 'gasLimit')},
               ${out(payment, 'nonce', 'createdAt')}, ${out(chain, 'family')}, ${paidTo(payment)} ${as.text('paidTo')}
          from ${payment} join ${chain} on ${chain.id} = ${payment.chainRef}
         where ${payment.purpose} in ('withdrawal', 'deposit_return') and ${payment.createdAt} > ${since}`,
  );
  // On solana alone the number of a transaction is in its limit; it is simulated with the number 0.
  const numberInLimit = sql`case when ${sent.family} = 'solana' then ${sent.nonce} % ${SEQUENCES}::int else 0 end`;
  return sql`
    select 'chain_transaction ' || ${sent.id} ${as.text('row')},
           'was signed, and no simulation of it accepts that' ${as.text('says')}
      from ${define(sent)}
     where exists (select from ${verdict}
                    where ${verdict.transactionId} = ${sent.id} and ${verdict.attempt} = 1
                      and ${verdict.verdict} = 'signed')
       and not exists (select from ${simulation}
                        where ${simulation.purpose} = ${sent.purpose} and ${simulation.purposeId} = ${sent.purposeId}
                          and ${simulation.outcome} = 'accepts'
                          and (${simulation.chainRef}, ${simulation.sender}, ${simulation.tokenContract},
                               ${simulation.amount}, ${simulation.destinationKey})
                            = (${sent.chainRef}, ${sent.sender}, ${sent.tokenContract}, ${sent.amount}, ${sent.paidTo})
                          and ${sent.gasLimit} - ${simulation.gasLimit} = ${numberInLimit}
                          and ${simulation.simulatedAt} > ${sent.createdAt} - interval '60 seconds'
                          and ${simulation.simulatedAt} < ${sent.createdAt} + interval '60 seconds')
     order by 1`;
}

/**
 * A refused payment is refunded and was never signed; a signed payment was simulated first. A row has the time at which its
 * transaction began, which may be before the commit of the rows that it read: hence the tolerance of a minute.
 */
export const REFUSAL_CHECKS: readonly Check[] = [
  statementCheck(
    'refusals_are_unsigned',
    'A payment that failed because its destination refuses it was never signed, and the evidence of the refusal is stored.',
    refusedAndSigned(),
  ),
  statementCheck(
    SIMULATED_FIRST,
    'Every payment that the vault signed has a simulation of the same terms that accepts it, less than 60 seconds older. ' +
      'The first day of simulations and adopted payments do not count.',
    signedUnsimulated(),
  ),
];
