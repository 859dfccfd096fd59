import { defineEntity, p } from '@mikro-orm/core';

/**
 * The kinds of entries.
 *
 * - `withdrawal` moves amount and fee to held, `withdrawal_paid` books them out once the chain has paid,
 *   `withdrawal_refund` moves them back. `network_fee` is the gas of one of our transactions, `returned_rent` the
 *   rent of accounts that a sweep closed.
 * - `unattributed` books a deposit without an intent into suspense, `resolution` credits it to a pocket, `release` releases
 *   a frozen deposit, `reversal` books out a reorged deposit, `restoration` books it in again.
 * - `return` moves an unattributed deposit out of suspense for a refund, `return_paid` books it out once the chain has paid,
 *   `return_undone` moves it back.
 * - `top_up` is money that reached a hot wallet other than by a sweep, `loss` a payment of a hot wallet without an order,
 *   `shortage` a discrepancy of a hot wallet that staff booked out.
 */
export type EntryKind =
  | 'deposit'
  | 'withdrawal'
  | 'withdrawal_paid'
  | 'withdrawal_refund'
  | 'network_fee'
  | 'returned_rent'
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

/** One atomic entry in the books. Its reference is unique, so the same fact books once. */
export class Entry extends EntrySchema.class {}
EntrySchema.setClass(Entry);
