import { Event } from '../../events/event.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { PoolAddress } from '../../payments/addresses/pool-address.entity.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { CountedOnHold } from '../../payments/intents/counted-on-hold.entity.js';
import { DirtyIntent } from '../../payments/intents/dirty-intent.entity.js';
import { PaymentIntent } from '../../payments/intents/payment-intent.entity.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { statementCheck } from '../check.js';

const deposit = table(Deposit);
const intent = table(PaymentIntent, 'intent');
const dirty = table(DirtyIntent);
const address = table(PoolAddress, 'address');
const counted = table(CountedOnHold, 'counted');
const askedOn = table(Chain, 'asked_on');
const paidOn = table(Chain, 'paid_on');
const event = table(Event);

const given = subselect(
  'given',
  sql`select ${out(address, 'id', 'intentId', 'address')} from ${address} where ${address.intentId} is not null`,
);
const paid = subselect(
  'paid',
  sql`select ${out(deposit, 'intentId')}, sum(${deposit.amount}) ${as.digits('total')}
        from ${deposit} left join ${counted} on ${counted.depositId} = ${deposit.id}
       where ${deposit.status} = 'confirmed' and ${deposit.intentId} is not null
         and (${deposit.listedSenderId} is null or (${deposit.bookedAt} is not null and ${deposit.heldAs} is null)
              or ${counted.depositId} is not null)
       group by ${deposit.intentId}`,
);
const reported = subselect(
  'reported',
  sql`select ${out(event, 'resourceId')}, count(*) ${as.digits('times')} from ${event}
       where ${event.type} = 'payment_intent.completed' group by ${event.resourceId}`,
);

/** Money in: final deposits are credited, and intents show what they received. */
export const PAYMENT_CHECKS = [
  statementCheck(
    'final_deposits_are_credited',
    'A final deposit is credited, or its intent waits to be settled; one without an intent is booked within an hour.',
    sql`
      select 'deposit ' || ${deposit.id} ${as.text('row')},
             'is final, is not credited, and waits for no settlement' ${as.text('says')}
        from ${deposit}
       where ${deposit.status} = 'confirmed' and ${deposit.bookedAt} is null and ${deposit.goneAt} is null
         and case when ${deposit.intentId} is null then ${deposit.confirmedAt} < now() - interval '1 hour'
                  else not exists (select from ${dirty} where ${dirty.intentId} = ${deposit.intentId}) end
       order by ${deposit.id}`,
  ),
  statementCheck(
    'deposits_are_their_intents',
    'A deposit that counts for an intent came to its address, in its token on its chain, and belongs to its merchant. ' +
      'A replaced development chain counts as the chain that replaced it.',
    sql`
      select 'deposit ' || ${deposit.id} ${as.text('row')},
             format('counts for %s of %s, and came to an address of %s', ${deposit.intentId}, ${deposit.merchantId},
                    coalesce(${address.intentId}, 'nobody')) ${as.text('says')}
        from ${deposit}
        left join ${address} on ${address.id} = ${deposit.addressId}
        left join ${intent} on ${intent.id} = ${deposit.intentId}
        left join ${askedOn} on ${askedOn.id} = ${intent.chainRef}
        left join ${paidOn} on ${paidOn.id} = ${deposit.chainRef}
       where ${deposit.intentId} is not null and ${deposit.status} <> 'orphaned'
         and ((${address.intentId}, ${intent.merchantId}, ${intent.tokenContract})
                is distinct from (${deposit.intentId}, ${deposit.merchantId}, ${deposit.tokenContract})
              or (${intent.chainRef} is distinct from ${deposit.chainRef}
                  and (${paidOn.active} or (${askedOn.environment}, ${askedOn.network}, ${askedOn.chainId})
                         is distinct from (${paidOn.environment}, ${paidOn.network}, ${paidOn.chainId}))))
       order by ${deposit.id}`,
  ),
  statementCheck(
    'intents_show_their_addresses',
    'An intent shows the pool address that was assigned to it, and no other.',
    sql`
      select coalesce('payment_intent ' || ${intent.id}, 'pool_address ' || ${given.id}) ${as.text('row')},
             format('shows %s, and was given %s', coalesce(${intent.address}, 'no address'),
                    coalesce(${given.address}, 'none')) ${as.text('says')}
        from ${intent} full join ${define(given)} on ${given.intentId} = ${intent.id}
       where ${intent.address} is distinct from ${given.address}
       order by 1`,
  ),
  statementCheck(
    'completed_intents_are_paid',
    'Final deposits that are not on hold cover the received amount of a completed intent, and it is enough.',
    sql`
      select 'payment_intent ' || ${intent.id} ${as.text('row')},
             format('says it received %s, and its final deposits are %s', ${intent.receivedCryptoAmount},
                    coalesce(${paid.total}, 0)) ${as.text('says')}
        from ${intent} left join ${define(paid)} on ${paid.intentId} = ${intent.id}
       where ${intent.status} = 'completed'
         and (${intent.receivedCryptoAmount} > coalesce(${paid.total}, 0)
              or ${intent.receivedAmountCents} + ${intent.acceptedShortfallCents} < ${intent.amountCents})
       order by ${intent.id}`,
  ),
  statementCheck(
    'completions_are_told_once',
    'A completed intent has exactly one event of its completion, and no other intent has one.',
    sql`
      select 'payment_intent ' || ${intent.id} ${as.text('row')},
             format('is %s and has %s events of its completion', ${intent.status},
                    coalesce(${reported.times}, 0)) ${as.text('says')}
        from ${intent} left join ${define(reported)} on ${reported.resourceId} = ${intent.id}
       where coalesce(${reported.times}, 0) <> (${intent.status} = 'completed')::int order by ${intent.id}`,
  ),
] as const;
