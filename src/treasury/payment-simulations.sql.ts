/** A payment is signed beside a simulation that is younger than this, by the database's clock. */
const VALID_SECONDS = 60;
/** The worker simulates again what waits for longer, so that none runs out while the vault is busy. */
const RENEWED_AFTER_SECONDS = 30;
/** A refusal that no second node has confirmed is asked about again after a few blocks. */
const ASKED_AGAIN_AFTER_SECONDS = 5;
/** The worker is about to simulate an order as young as this. */
const EXPECTED_SECONDS = 2;

const secondsAgo = (seconds: number): string => `clock_timestamp() - interval '${seconds} seconds'`;

/** SQL: whether `simulation`, a row of `payment_simulation`, is young enough to be signed beside; none is from the future. */
const IS_VALID = `simulation.simulated_at between ${secondsAgo(VALID_SECONDS)} and clock_timestamp()`;

/** SQL: of an order that has not been signed, that nothing else is known to hold it up. */
export const MAY_BE_SIMULATED = `coalesce(waiting_reason, 'not_simulated') = 'not_simulated'`;

/** SQL: whether an order that is not signed is to be simulated now, again or for the first time. */
export const isSimulationDue = (purpose: string, id: string): string => `
  not exists (select from payment_simulation simulation
               where simulation.purpose = '${purpose}' and simulation.purpose_id = ${id}
                 and simulation.simulated_at <= clock_timestamp()
                 and simulation.simulated_at > case simulation.outcome
                       when 'unconfirmed' then ${secondsAgo(ASKED_AGAIN_AFTER_SECONDS)}
                       else ${secondsAgo(RENEWED_AFTER_SECONDS)} end)`;

/** SQL: whether the vault may leave an unsigned order of `withdrawal` to the worker, which is to simulate it first. */
export const IS_BEING_SIMULATED = `
  (waiting_reason = 'not_simulated' or (waiting_reason is null and created_at > ${secondsAgo(EXPECTED_SECONDS)}))
  and not exists (select from payment_simulation simulation
                   where simulation.purpose = 'withdrawal' and simulation.purpose_id = withdrawal.id and ${IS_VALID})`;

/** SQL: whom a row of `chain_transaction` that is a payment pays, as the index `chain_transaction_reverted` has it. */
export const PAID_TO = `case when token_contract = 'native' then destination else '0x' || substr(data, 35, 40) end`;

/**
 * What speaks for and against a payment: of order $2 for the purpose $1, on the chain $3, from $4, in the token $5, of the
 * amount $6, to $7, with the gas $8. The newest simulation of exactly these terms counts, and whether a payment to the
 * same address was reverted on this chain within a day.
 */
export const SIMULATED_STATEMENT = `
  select exists (
           select from chain_transaction
            where chain_ref = $3 and status = 'reverted' and purpose in ('withdrawal', 'deposit_return')
              and ${PAID_TO} = $7
              and finished_at > clock_timestamp() - interval '24 hours') as has_reverted,
         (select outcome from payment_simulation simulation
           where purpose = $1 and purpose_id = $2
             and (chain_ref, sender, token_contract, amount, destination_key, gas_limit) = ($3, $4, $5, $6, $7, $8)
             and ${IS_VALID}
           order by id desc limit 1) as outcome`;
