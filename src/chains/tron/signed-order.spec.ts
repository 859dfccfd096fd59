import * as fc from 'fast-check';
import { anyUnsigned, HOT_ADDRESS, HOT_KEY, OTHER_KEY } from '../../../test/support/tron-transactions.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { signTronTransaction } from '../../vault/tron/tron-signing.js';
import { contradictionInTransaction, type OrderedTronPayment } from './signed-order.js';
import { addressOfKey } from '../../vault/tron/tron-derivation.js';
import { keyOfHash } from './tron-address.js';
import type { UnsignedTronTransaction } from './unsigned-transaction.js';

const UNORDERED = 'does what nothing ordered';
const OTHER = 'holds the bytes of another transaction';

const orderOf = ({ action }: UnsignedTronTransaction): OrderedTronPayment => ({
  token: action.kind === 'coin' ? NATIVE_COIN : action.token,
  amount: String(action.amount),
  recipient: action.to,
});

const recordOf = (unsigned: UnsignedTronTransaction) => ({
  ...signTronTransaction([HOT_KEY], unsigned),
  sender: HOT_ADDRESS,
});

it('signed bytes agree with the order that they were made from, whatever their block, times and limit', () => {
  fc.assert(
    fc.property(anyUnsigned, (unsigned) => {
      expect(contradictionInTransaction(recordOf(unsigned), orderOf(unsigned))).toBeNull();
    }),
    { numRuns: 50 },
  );
});

it('signed bytes contradict an order of another amount, recipient or token, and no order at all', () => {
  fc.assert(
    fc.property(anyUnsigned, (unsigned) => {
      const [record, order] = [recordOf(unsigned), orderOf(unsigned)];
      const elsewhere = keyOfHash('e5'.repeat(20));
      for (const change of [{ amount: `${order.amount}0` }, { recipient: elsewhere }, { token: elsewhere }]) {
        expect(contradictionInTransaction(record, { ...order, ...change })).toBe(UNORDERED);
      }
      expect(contradictionInTransaction(record, null)).toBe(UNORDERED);
    }),
    { numRuns: 20 },
  );
});

it('bytes of another transaction, of another key, and those that are none are found', () => {
  const [unsigned] = fc.sample(anyUnsigned, { numRuns: 1, seed: 1 });
  if (unsigned === undefined) throw new Error('There is no sample.');
  const [record, order] = [recordOf(unsigned), orderOf(unsigned)];
  const forged = {
    ...signTronTransaction([OTHER_KEY], { ...unsigned, owner: addressOfKey(OTHER_KEY) }),
    sender: HOT_ADDRESS,
  };
  expect(contradictionInTransaction({ ...record, txHash: 'ab'.repeat(32) }, order)).toBe(OTHER);
  expect(contradictionInTransaction(forged, order)).toBe(OTHER);
  for (const raw of ['', 'ff', 'not hex', record.raw.slice(0, 40)]) {
    expect(contradictionInTransaction({ ...record, raw }, order)).toBe('holds bytes that are no transaction');
  }
});
