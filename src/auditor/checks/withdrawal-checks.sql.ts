import { Event } from '../../events/event.entity.js';
import { Account } from '../../ledger/account.entity.js';
import { Pocket } from '../../ledger/pocket.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { AuditEntry } from '../../platform/audit-entry.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { keyOfShown } from '../../platform/sql/shown-address.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { ChainTransaction } from '../../treasury/transactions/chain-transaction.entity.js';
import { HotWallet } from '../../treasury/wallets/hot-wallet.entity.js';
import { WithdrawalApproval } from '../../withdrawals/policies/withdrawal-approval.entity.js';
import { Withdrawal } from '../../withdrawals/withdrawal.entity.js';
import { statementCheck } from '../check.js';
import { unaccountedSignatures } from './signatures.sql.js';

const withdrawal = table(Withdrawal);
const approval = table(WithdrawalApproval, 'approval');
const pocket = table(Pocket);
const account = table(Account);
const chain = table(Chain);
const transaction = table(ChainTransaction);
const owner = table(HotWallet, 'owner');
const wallet = table(HotWallet, 'wallet');
const audit = table(AuditEntry);
const event = table(Event);

const way = subselect(
  'way',
  sql`select ${out(withdrawal, 'pocketId')}, sum(${withdrawal.amount} + ${withdrawal.feeAmount}) ${as.digits('total')}
        from ${withdrawal} where ${withdrawal.status} = 'broadcasting' group by ${withdrawal.pocketId}`,
);
const paid = subselect(
  'paid',
  sql`select ${out(transaction, 'purposeId')}, count(*) ${as.digits('times')},
             min(${transaction.minedHash}) ${as.textOrNull('minedHash')}
        from ${transaction} where ${transaction.purpose} = 'withdrawal' and ${transaction.status} = 'succeeded'
       group by ${transaction.purposeId}`,
);
const decided = subselect(
  'decided',
  sql`select ${out(audit, 'subject')}, string_agg(${audit.actor}, ', ' order by ${audit.id}) ${as.text('actors')}
        from ${audit} where ${audit.action} = 'withdrawal.approve' group by ${audit.subject}`,
);
/** A sweep that its address pays for has a number of the hot wallet. */
const numberedBy = sql`
  case when ${transaction.purpose} = 'sweep' and ${transaction.validUntil} is not null then ${owner.addressKey}
       else ${transaction.sender} end`;
/** Another transaction has the nonce of a superseded one; an expired one keeps its number. */
const sent = subselect(
  'sent',
  sql`select ${out(transaction, 'chainRef')}, ${numberedBy} ${as.text('sender')}, count(distinct ${transaction.nonce}) ${as.digits('times')},
             min(${transaction.nonce}) ${as.digits('first')}, max(${transaction.nonce}) ${as.digits('last')}
        from ${transaction} left join ${owner} on ${owner.chainRef} = ${transaction.chainRef}
       where ${transaction.status} <> 'superseded'
       group by ${transaction.chainRef}, ${numberedBy}`,
);
const reported = subselect(
  'reported',
  sql`select ${out(event, 'resourceId')}, count(*) ${as.digits('times')}, min(${event.type}) ${as.text('type')}
        from ${event} where ${event.type} in ('withdrawal.completed', 'withdrawal.failed') group by ${event.resourceId}`,
);

/** Money out: every payment was made once, is accounted for and has its event. */
export const WITHDRAWAL_CHECKS = [
  statementCheck(
    'held_is_on_its_way',
    'The held balance of a pocket equals the amount and fee of its pending withdrawals.',
    sql`
      select 'pocket ' || ${pocket.id} ${as.text('row')},
             format('holds %s, and its withdrawals on the way ask for %s', ${account.balance},
                    coalesce(${way.total}, 0)) ${as.text('says')},
             ${account.balance} - coalesce(${way.total}, 0) ${as.digitsOrNull('gap')}
        from ${pocket} join ${account} on ${account.id} = ${pocket.heldAccountId}
        left join ${define(way)} on ${way.pocketId} = ${pocket.id}
       where ${account.balance} <> coalesce(${way.total}, 0) order by ${pocket.id}`,
  ),
  statementCheck(
    'completed_are_paid_once',
    'A completed withdrawal has exactly one transaction that succeeded, the one that it names.',
    sql`
      select 'withdrawal ' || ${withdrawal.id} ${as.text('row')},
             format('is %s and has %s transactions that paid', ${withdrawal.status},
                    coalesce(${paid.times}, 0)) ${as.text('says')}
        from ${withdrawal} left join ${define(paid)} on ${paid.purposeId} = ${withdrawal.id}
       where coalesce(${paid.times}, 0) <> (${withdrawal.status} = 'completed')::int
          or (${withdrawal.status} = 'completed' and ${paid.minedHash} <> ${withdrawal.txHash})
       order by ${withdrawal.id}`,
  ),
  statementCheck(
    'approvals_are_decided',
    'Every approval has the terms of its withdrawal, and was decided once by the operator that it names.',
    sql`
      select 'withdrawal ' || coalesce(${approval.withdrawalId}, ${decided.subject}) ${as.text('row')},
             format('is approved by %s, and was so decided by %s, for %s of %s to %s',
                    coalesce(${approval.approvedBy}, 'nobody'), coalesce(${decided.actors}, 'nobody'),
                    ${approval.amount}, ${approval.tokenContract}, ${approval.destinationKey}) ${as.text('says')}
        from ${approval}
        full join ${define(decided)} on ${decided.subject} = ${approval.withdrawalId}
        left join ${withdrawal} on ${withdrawal.id} = ${approval.withdrawalId}
       where ${approval.approvedBy} is distinct from ${decided.actors}
          or (${approval.chainRef}, ${approval.tokenContract}, ${approval.amount}, ${approval.destinationKey})
            is distinct from
             (${withdrawal.chainRef}, ${withdrawal.tokenContract}, ${withdrawal.amount}, ${withdrawal.destinationKey})
       order by 1`,
  ),
  statementCheck(
    'nonces_have_no_gaps',
    'Every nonce that a hot wallet has assigned belongs to one transaction from its address.',
    sql`
      select 'hot_wallet ' || coalesce(${wallet.chainRef}, ${sent.chainRef}) ${as.text('row')},
             format('has given out %s nonces and has %s transactions', coalesce(${wallet.nextNonce}::text, 'no'),
                    coalesce(${sent.times}, 0)) ${as.text('says')},
             coalesce(${wallet.nextNonce}, 0) - coalesce(${sent.times}, 0) ${as.digits('gap')}
        from ${wallet}
        full join ${define(sent)} on ${sent.chainRef} = ${wallet.chainRef} and ${sent.sender} = ${wallet.addressKey}
       where ${wallet.chainRef} is null or (${sent.times} is null and ${wallet.nextNonce} <> 0)
          or ${sent.last} + 1 <> ${wallet.nextNonce} or ${sent.last} - ${sent.first} + 1 <> ${sent.times}
       order by 1`,
  ),
  statementCheck(
    'signatures_are_accounted_for',
    'Every signed version of a transaction has one verdict, of the vault or of the operator who adopted it, and none is missing.',
    unaccountedSignatures(),
  ),
  statementCheck(
    'withdrawals_fit_pockets',
    'A withdrawal matches its pocket: the same merchant, the same token, and a chain of its network.',
    sql`
      select 'withdrawal ' || ${withdrawal.id} ${as.text('row')},
             format('takes %s on %s for %s, and its pocket %s holds something else', ${withdrawal.tokenContract},
                    ${withdrawal.chainRef}, ${withdrawal.merchantId}, ${withdrawal.pocketId}) ${as.text('says')}
        from ${withdrawal}
        left join ${pocket} on ${pocket.id} = ${withdrawal.pocketId}
        left join ${chain} on ${chain.id} = ${withdrawal.chainRef}
       where (${pocket.merchantId}, ${pocket.environment}, ${pocket.network}, ${pocket.tokenContract},
              ${chain.environment}, ${chain.network})
         is distinct from
             (${withdrawal.merchantId}, ${withdrawal.environment}, ${withdrawal.network},
              ${withdrawal.tokenContract}, ${withdrawal.environment}, ${withdrawal.network})
       order by ${withdrawal.id}`,
  ),
  statementCheck(
    'addresses_are_spelled_alike',
    'The address that is shown and the address that is paid are the same.',
    sql`
      select 'withdrawal ' || ${withdrawal.id} ${as.text('row')},
             format('goes to %s, and shows %s', ${withdrawal.destinationKey}, ${withdrawal.destination}) ${as.text('says')}
        from ${withdrawal} join ${chain} on ${chain.id} = ${withdrawal.chainRef}
       where ${keyOfShown(chain.family, withdrawal.destination)} <> ${withdrawal.destinationKey}
       union all
      select 'hot_wallet ' || ${wallet.chainRef}, format('is %s, and shows %s', ${wallet.addressKey}, ${wallet.address})
        from ${wallet} join ${chain} on ${chain.id} = ${wallet.chainRef}
       where ${keyOfShown(chain.family, wallet.address)} <> ${wallet.addressKey}
       order by 1`,
  ),
  statementCheck(
    'endings_are_told_once',
    'A finished withdrawal has exactly one event of its end, and a pending one has none.',
    sql`
      select 'withdrawal ' || ${withdrawal.id} ${as.text('row')},
             format('is %s and has %s events of its end', ${withdrawal.status},
                    coalesce(${reported.times}, 0)) ${as.text('says')}
        from ${withdrawal} left join ${define(reported)} on ${reported.resourceId} = ${withdrawal.id}
       where coalesce(${reported.times}, 0) <> (${withdrawal.status} <> 'broadcasting')::int
          or ${reported.type} <> 'withdrawal.' || ${withdrawal.status}
       order by ${withdrawal.id}`,
  ),
] as const;
