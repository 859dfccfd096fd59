import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../platform/database/columns.js';
/** `seen` is on chain but not final; `confirmed` is final; `orphaned` was taken back by a reorg. */
export type DepositStatus = 'seen' | 'confirmed' | 'orphaned';

/**
 * Where final money outside of any pocket is: in suspense, since it belongs to no intent, or frozen, since its sender
 * was on the sanctions list. `kept` is frozen too, by decision of staff; `returning` is on its way out as a refund.
 */
export type DepositHolding = 'suspense' | 'frozen' | 'kept' | 'returning';

/** Why a transfer to one of our addresses belongs to no intent. */
export type UnattributedReason = 'other_network' | 'other_token' | 'address_not_assigned';

const DepositSchema = defineEntity({
  name: 'Deposit',
  tableName: 'deposit',
  properties: {
    id: p.text().primary(),
    chainRef: p.text(),
    tokenContract: p.text(),
    /** Null when a chain's own coin arrived inside of a contract. */
    txHash: p.text().strictNullable(),
    position: p.integer(),
    /** The only sender, or the one that lost most. */
    fromAddress: p.text().strictNullable(),
    /** Further senders, on networks where a transaction may have several. */
    otherSenders: p.array().$type<string[]>().strictNullable(),
    toAddress: p.text(),
    /** The account of the address that received it, on networks that are read by accounts. */
    account: p.text().strictNullable(),
    amount: p.type(UnitsType),
    blockHeight: wholeNumber(),
    blockHash: p.text(),
    blockTime: p.datetime(3),
    seenAt: p.datetime(3).defaultRaw('now()'),
    status: p.text().$type<DepositStatus>(),
    confirmedAt: p.datetime(3).strictNullable(),
    addressId: wholeNumber(),
    /** The intent that it pays; null while it is unattributed. */
    intentId: p.text().strictNullable(),
    merchantId: p.text().strictNullable(),
    unattributedReason: p.text().$type<UnattributedReason>().strictNullable(),
    late: p.boolean().strictNullable(),
    bookedAt: p.datetime(3).fieldName('credited_at').strictNullable(),
    secondNodeAt: p.datetime(3).strictNullable(),
    secondNodeDueAt: p.datetime(3).strictNullable(),
    listedSenderId: wholeNumber().strictNullable(),
    heldAs: p.text().$type<DepositHolding>().strictNullable(),
    goneAt: p.datetime(3).strictNullable(),
    reversedAt: p.datetime(3).strictNullable(),
    restoredAt: p.datetime(3).strictNullable(),
  },
});

/**
 * A stored sighting: one transfer to one of our addresses, or (without transaction and sender) the remainder that the
 * address's balance of the chain's own coin showed at a block. Unattributed when it matches no intent's network and
 * token.
 *
 * `bookedAt` is when it was booked: to a pocket, or to what `heldAs` says. `listedSenderId` is the listing of its
 * sender by the sanctions list that was current when it became final. `goneAt` is when it was found reorged after that,
 * `reversedAt` when it was booked out the last time, `restoredAt` when it was booked in again because it was back on
 * the chain.
 */
export class Deposit extends DepositSchema.class {}
DepositSchema.setClass(Deposit);
