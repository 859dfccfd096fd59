import { defineEntity, p } from '@mikro-orm/core';

/**
 * What a booking is for. A `withdrawal` holds amount and fee, `withdrawal_paid` lets them go once the chain has paid,
 * `withdrawal_refund` gives them back, `network_fee` is the gas of one of our transactions. `unattributed` is a deposit
 * that belongs to no intent, `resolution` gives it to a pocket; `release` lets go of a frozen one; `reversal` takes back
 * one that the chain took back, `restoration` books it in again. A `return` takes an unattributed deposit out of suspense
 * to be paid out to an address, `return_paid` lets it go once the chain has paid, `return_undone` puts it back. `top_up` is
 * what reached a hot wallet otherwise than by a sweep, a `loss` what it paid without an order, a `shortage` what is missing
 * there and staff have booked out.
 */
export type EntryKind =
  | 'deposit'
  | 'withdrawal'
  | 'withdrawal_paid'
  | 'withdrawal_refund'
  | 'network_fee'
  | 'unattributed'
  | 'resolution'
  | 'release'
  | 'reversal'
  | 'restoration'
  | 'top_up'
  | 'return'
  | 'return_paid'
  | 'return_undone'
  | 'loss'
  | 'shortage';

const EntrySchema = defineEntity({
  name: 'Entry',
  tableName: 'entry',
  properties: {
    id: p.text().primary(),
    reference: p.text(),
    kind: p.text().$type<EntryKind>(),
    contentHash: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** One atomic booking. Its reference is unique, so the same fact books once. */
export class Entry extends EntrySchema.class {}
EntrySchema.setClass(Entry);
