import type { SimulatedPayment } from '../../chains/outgoing.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { textList } from '../../platform/database/text-list.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { literal, raw, sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, table } from '../../platform/sql/table.js';
import { ChainTransaction } from '../transactions/chain-transaction.entity.js';
import { PAYMENTS } from '../transactions/payment-tables.sql.js';
import {
  PAYMENT_PURPOSES,
  type PaymentPurpose,
  type TransactionPurpose,
  type TransferOrder,
} from '../transactions/transaction-order.js';
import { COIN_PAYMENTS_COUNTED } from './coin-payments-in-flight.js';
import type { KnownOutcome } from './confirmed-outcomes.js';
import { PaymentSimulation } from './payment-simulation.entity.js';

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

const simulation = table(PaymentSimulation);
const transaction = table(ChainTransaction);
const payment = given('payment', {
  id: 'text',
  token: 'text',
  amount: 'numeric',
  recipient: 'text',
  gasLimit: 'bigint',
});
const simulated = given('simulated', {
  purposeId: 'text',
  sender: 'text',
  token: 'text',
  amount: 'numeric',
  recipient: 'text',
  gasLimit: 'bigint',
  hasCode: 'boolean',
  result: 'text',
  nodes: 'int',
  blockHeight: 'bigint',
  blockHash: 'text',
});

const interval = (seconds: number): SqlText => raw(`interval '${seconds} seconds'`);
const secondsAgo = (seconds: number): SqlText => sql`clock_timestamp() - ${interval(seconds)}`;
const isPayment = (of: typeof transaction): SqlText => sql`${of.purpose} in ${raw(textList(PAYMENT_PURPOSES))}`;

/** Whether a simulation is fresh enough to sign; one from the future is not. */
const isValid = ({ simulatedAt }: { readonly simulatedAt: SqlText }): SqlText =>
  sql`${simulatedAt} between ${secondsAgo(VALID_SECONDS)} and clock_timestamp()`;

/** Whether a simulation is of the order of this purpose. */
const isOfOrder = (purpose: PaymentPurpose): SqlText =>
  sql`${simulation.purpose} = ${raw(`'${purpose}'`)} and ${simulation.purposeId} = ${PAYMENTS[purpose].order.id}`;

/** Whether an unsigned order has no other known obstacle. */
export const mayBeSimulated = (purpose: PaymentPurpose): SqlText =>
  sql`coalesce(${PAYMENTS[purpose].order.waitingReason}, 'not_simulated') = 'not_simulated'`;

/** The pause before an order with an unconfirmed refusal is simulated again, by its age. */
const askedAgainAfter = (purpose: PaymentPurpose): SqlText => sql`
  least(${interval(ASKED_AGAIN.atLatestSeconds)},
        greatest(${interval(ASKED_AGAIN.afterSeconds)},
                 (clock_timestamp() - ${PAYMENTS[purpose].order.createdAt}) / ${literal(ASKED_AGAIN.shareOfAge)}))`;

const newestOfOrder = (purpose: PaymentPurpose) => sql`
  select ${out(simulation, 'outcome', 'simulatedAt')} from ${simulation}
   where ${isOfOrder(purpose)} and ${simulation.simulatedAt} <= clock_timestamp()
   order by ${simulation.simulatedAt} desc, ${simulation.id} desc limit 1`;
const newest = subselect('newest', newestOfOrder);

/** Whether an unsigned order is due for a simulation, by its newest one. */
export const isSimulationDue = (purpose: PaymentPurpose): SqlText => sql`
  not exists (select from ${define(newest, purpose)}
               where ${newest.simulatedAt} > case ${newest.outcome}
                       when 'unconfirmed' then clock_timestamp() - ${askedAgainAfter(purpose)}
                       else ${secondsAgo(RENEWED_AFTER_SECONDS)} end)`;

/** Whether the vault may leave an unsigned order to the worker, which simulates it first. */
export function isBeingSimulated(purpose: PaymentPurpose): SqlText {
  const { order } = PAYMENTS[purpose];
  return sql`
    (${order.waitingReason} = 'not_simulated'
     or (${order.waitingReason} is null and ${order.createdAt} > ${secondsAgo(EXPECTED_SECONDS)}))
    and not exists (select from ${simulation} where ${isOfOrder(purpose)} and ${isValid(simulation)})`;
}

/** The columns of a transaction that tell the payee of a payment. */
type PayeeColumns = Readonly<Record<'tokenContract' | 'destination' | 'data', SqlText>>;

/** The payee of a payment, as the index `chain_transaction_reverted` has it. */
export const paidTo = ({ tokenContract, destination, data }: PayeeColumns): SqlText =>
  sql`case when ${tokenContract} = 'native' or ${data} = '' then ${destination} else '0x' || substr(${data}, 35, 40) end`;

/** The terms of a payment that is about to be signed. */
export interface PaymentTerms {
  readonly purposeId: string;
  readonly order: TransferOrder;
  readonly gasLimit: bigint;
}

/** The common terms of payments that are signed together. */
export interface PaymentsOf {
  readonly purpose: TransactionPurpose;
  readonly chainRef: string;
  /** Lower case. */
  readonly sender: string;
}

const givenTerms = ({ purposeId, order: { token, amount, recipient }, gasLimit }: PaymentTerms) => ({
  id: purposeId,
  token,
  amount,
  recipient,
  gasLimit,
});

/** The number of payments in the coin with this status to the recipient of `payment`, up to the bound. */
const coinPayments = (chainRef: string, status: 'signed' | 'succeeded'): SqlText => sql`
  (select count(*)::int
     from (select from ${transaction}
            where ${transaction.chainRef} = ${chainRef} and ${transaction.tokenContract} = 'native'
              and ${isPayment(transaction)} and ${transaction.destination} = ${payment.recipient}
              and ${transaction.status} = ${raw(`'${status}'`)}
            limit ${literal(COIN_PAYMENTS_COUNTED)}) counted)`;

/** The newest simulation of exactly the terms of `payment`. */
const simulationOfTerms = ({ purpose, chainRef, sender }: PaymentsOf) => sql`
  select ${out(simulation, 'outcome', 'destinationHasCode', 'simulatedAt')} from ${simulation}
   where ${simulation.purpose} = ${purpose} and ${simulation.purposeId} = ${payment.id}
     and (${simulation.chainRef}, ${simulation.sender}, ${simulation.tokenContract}, ${simulation.amount},
          ${simulation.destinationKey}, ${simulation.gasLimit})
       = (${chainRef}, ${sender}, ${payment.token}, ${payment.amount}, ${payment.recipient}, ${payment.gasLimit})
     and ${simulation.simulatedAt} <= clock_timestamp()
   order by ${simulation.simulatedAt} desc, ${simulation.id} desc limit 1`;
const ofTerms = subselect('of_terms', simulationOfTerms);

/**
 * Reads the facts that decide whether payments may be signed: whether a payment of the same token to the same address was
 * reverted on this chain within a day, and the newest simulation of exactly these terms, with whether that is fresh. For a
 * payment in the coin it also counts the other coin payments to this address.
 */
export const readFacts = (of: PaymentsOf, payments: readonly PaymentTerms[]) => sql`
  select ${payment.id.as('id')},
         exists (
           select from ${transaction}
            where ${transaction.chainRef} = ${of.chainRef} and ${transaction.status} = 'reverted' and ${isPayment(transaction)}
              and ${transaction.tokenContract} = ${payment.token} and ${paidTo(transaction)} = ${payment.recipient}
              and ${transaction.finishedAt} > clock_timestamp() - interval '24 hours') ${as.boolean('revertedLately')},
         ${ofTerms.outcome.asOrNull('outcome')}, ${isValid(ofTerms)} ${as.booleanOrNull('isFresh')},
         ${ofTerms.destinationHasCode.asOrNull('hasCode')},
         case when ${payment.token} = 'native' then ${coinPayments(of.chainRef, 'signed')} else 0 end ${as.int('inFlight')},
         case when ${ofTerms.destinationHasCode} then ${coinPayments(of.chainRef, 'succeeded')} else 0 end ${as.int('succeeded')}
    from ${unnest(payment, payments.map(givenTerms))}
    left join lateral ${define(ofTerms, of)} on true`;

/** Payments of one purpose that were simulated together. */
export interface Simulations {
  readonly purpose: PaymentPurpose;
  readonly chainRef: string;
  /** The coin recipients that have code. */
  readonly contracts: ReadonlySet<string>;
  /** The database's time before any node was called, so that a late write of a paused worker counts as old. */
  readonly at: Date;
}

/** The terms of a payment that a simulation is valid for. */
export type SimulatedTerms = Pick<SimulatedPayment, 'sender' | 'token' | 'amount' | 'recipient' | 'gasLimit'>;

/** One of them. */
export interface Simulated extends KnownOutcome {
  readonly purposeId: string;
  readonly payment: SimulatedTerms;
}

const givenResult = (
  contracts: ReadonlySet<string>,
  { purposeId, payment: { sender, token, amount, recipient, gasLimit }, result, nodes, block }: Simulated,
) => ({
  purposeId,
  sender,
  token,
  amount,
  recipient,
  gasLimit,
  result,
  nodes,
  hasCode: token === NATIVE_COIN ? contracts.has(recipient) : null,
  blockHeight: block.height,
  blockHash: block.hash,
});

/** Inserts simulations with the terms of each payment. */
export const insertSimulations = (
  { purpose, chainRef, contracts, at }: Simulations,
  results: readonly Simulated[],
) => sql`
  insert into ${simulation} ${columns(
    simulation,
    'purpose',
    'chainRef',
    'simulatedAt',
    'purposeId',
    'sender',
    'tokenContract',
    'amount',
    'destinationKey',
    'gasLimit',
    'destinationHasCode',
    'outcome',
    'nodes',
    'blockHeight',
    'blockHash',
  )}
  select ${purpose}, ${chainRef}, ${at}, ${simulated.purposeId}, ${simulated.sender}, ${simulated.token}, ${simulated.amount},
         ${simulated.recipient}, ${simulated.gasLimit}, ${simulated.hasCode}, ${simulated.result}, ${simulated.nodes},
         ${simulated.blockHeight}, ${simulated.blockHash}
    from ${unnest(
      simulated,
      results.map((each) => givenResult(contracts, each)),
    )}`;

/** Finds the newest simulation of an order. */
export const findNewest = (purpose: PaymentPurpose, purposeId: string) => sql`
  select ${out(simulation, 'outcome', 'nodes', 'blockHeight', 'blockHash')}, ${simulation.simulatedAt.as('at')}
    from ${simulation} where ${simulation.purpose} = ${purpose} and ${simulation.purposeId} = ${purposeId}
   order by ${simulation.simulatedAt} desc, ${simulation.id} desc limit 1`;
