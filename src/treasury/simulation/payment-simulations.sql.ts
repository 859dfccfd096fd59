import { COIN_PAYMENTS_COUNTED } from './coin-payments-in-flight.js';
import { textList } from '../../platform/database/text-list.js';
import { PAYMENT_PURPOSES, type PaymentPurpose } from '../transactions/transaction-order.js';

/** A payment is signed only with a simulation younger than this, by the database's clock. */
const VALID_SECONDS = 60;
/** The worker repeats the simulation of waiting payments after this, so that none expires while the vault is busy. */
const RENEWED_AFTER_SECONDS = 30;
/**
 * A refusal that no second node has confirmed is checked again after a few blocks, and less often the older it gets.
 */
const ASKED_AGAIN = { afterSeconds: 5, atLatestSeconds: 300, shareOfAge: 12 } as const;
/** The worker is about to simulate an order as young as this. */
const EXPECTED_SECONDS = 2;

const secondsAgo = (seconds: number): string => `clock_timestamp() - interval '${seconds} seconds'`;

/** SQL: whether `simulation`, a row of `payment_simulation`, is fresh enough to sign; one from the future is not. */
const IS_VALID = `simulation.simulated_at between ${secondsAgo(VALID_SECONDS)} and clock_timestamp()`;

/** SQL: whether an unsigned order has no other known obstacle. */
export const MAY_BE_SIMULATED = `coalesce(waiting_reason, 'not_simulated') = 'not_simulated'`;

/** SQL: the pause before an order (a table) with an unconfirmed refusal is simulated again, by its age. */
const askedAgainAfter = (order: string): string => `
  least(interval '${ASKED_AGAIN.atLatestSeconds} seconds',
        greatest(interval '${ASKED_AGAIN.afterSeconds} seconds',
                 (clock_timestamp() - ${order}.created_at) / ${ASKED_AGAIN.shareOfAge}))`;

/** SQL: whether an unsigned order (a table) is due for a simulation, by its newest one. */
export const isSimulationDue = (order: PaymentPurpose): string => `
  not exists (select from (select outcome, simulated_at from payment_simulation
                            where purpose = '${order}' and purpose_id = ${order}.id
                              and simulated_at <= clock_timestamp()
                            order by simulated_at desc, id desc limit 1) newest
               where newest.simulated_at > case newest.outcome
                       when 'unconfirmed' then clock_timestamp() - ${askedAgainAfter(order)}
                       else ${secondsAgo(RENEWED_AFTER_SECONDS)} end)`;

/** SQL: whether the vault may leave an unsigned order (a table) to the worker, which simulates it first. */
export const isBeingSimulated = (order: PaymentPurpose): string => `
  (${order}.waiting_reason = 'not_simulated'
   or (${order}.waiting_reason is null and ${order}.created_at > ${secondsAgo(EXPECTED_SECONDS)}))
  and not exists (select from payment_simulation simulation
                   where simulation.purpose = '${order}' and simulation.purpose_id = ${order}.id and ${IS_VALID})`;

/** SQL: the payee of a payment in `chain_transaction`, as the index `chain_transaction_reverted` has it. */
export const PAID_TO = `case when token_contract = 'native' then destination else '0x' || substr(data, 35, 40) end`;

/**
 * SQL: the number of payments in the coin with this status to the recipient of `payment` on the chain $2, up to the
 * bound.
 */
const coinPayments = (status: 'signed' | 'succeeded'): string => `
  (select count(*)::int
     from (select from chain_transaction
            where chain_ref = $2 and token_contract = 'native' and purpose in ${textList(PAYMENT_PURPOSES)}
              and destination = payment.recipient and status = '${status}'
            limit ${COIN_PAYMENTS_COUNTED}) counted)`;

/**
 * The facts that decide whether payments may be signed, for the purpose $1, on the chain $2, from $3: of the orders $4,
 * in the tokens $5, of the amounts $6, to $7, with the gas $8. It reads whether a payment of the same token to the same
 * address was reverted on this chain within a day, and the newest simulation of exactly these terms. The outcome is
 * null when that simulation has expired. For a payment in the coin it also counts the other coin payments to this
 * address.
 */
export const SIMULATED_STATEMENT = `
  select payment.id,
         exists (
           select from chain_transaction
            where chain_ref = $2 and status = 'reverted' and purpose in ${textList(PAYMENT_PURPOSES)}
              and token_contract = payment.token and ${PAID_TO} = payment.recipient
              and finished_at > clock_timestamp() - interval '24 hours') as reverted_lately,
         case when ${IS_VALID} then simulation.outcome end as outcome,
         simulation.destination_has_code as has_code,
         case when payment.token = 'native' then ${coinPayments('signed')} else 0 end as in_flight,
         case when simulation.destination_has_code then ${coinPayments('succeeded')} else 0 end as succeeded
    from unnest($4::text[], $5::text[], $6::numeric[], $7::text[], $8::bigint[])
           as payment (id, token, amount, recipient, gas_limit)
    left join lateral (
           select outcome, destination_has_code, simulated_at from payment_simulation
            where purpose = $1 and purpose_id = payment.id
              and (chain_ref, sender, token_contract, amount, destination_key, gas_limit)
                = ($2, $3, payment.token, payment.amount, payment.recipient, payment.gas_limit)
              and simulated_at <= clock_timestamp()
            order by simulated_at desc, id desc limit 1) simulation on true`;
