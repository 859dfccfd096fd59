import { defineEntity, p } from '@mikro-orm/core';
import type { SimulatedOutcome } from '../../chains/outgoing.js';
import { UnitsType, wholeNumber } from '../../platform/database/columns.js';
import type { PaymentPurpose } from '../transactions/transaction-order.js';

/** The result of nodes for a payment. `unconfirmed`: one node refuses it, and no second one has confirmed that. */
export type SimulationResult = SimulatedOutcome | 'unconfirmed';

const PaymentSimulationSchema = defineEntity({
  name: 'PaymentSimulation',
  tableName: 'payment_simulation',
  properties: {
    id: wholeNumber().primary().generated('identity'),
    purpose: p.text().$type<PaymentPurpose>(),
    purposeId: p.text(),
    chainRef: p.text(),
    sender: p.text(),
    tokenContract: p.text(),
    amount: p.type(UnitsType),
    destinationKey: p.text(),
    gasLimit: wholeNumber(),
    /** Of a payment in the native coin; null for a token. */
    destinationHasCode: p.boolean().strictNullable(),
    outcome: p.text().$type<SimulationResult>(),
    nodes: p.integer(),
    blockHeight: wholeNumber(),
    blockHash: p.text(),
    simulatedAt: p.datetime(3),
  },
});

/** A payment, executed on the state of one block without sending it. Append-only, written by the worker. */
export class PaymentSimulation extends PaymentSimulationSchema.class {}
PaymentSimulationSchema.setClass(PaymentSimulation);
