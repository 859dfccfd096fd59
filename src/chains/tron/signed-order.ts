import { NATIVE_COIN } from '../../domain/network.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { SignedBytes } from '../expiring-transaction.js';
import type { OrderedPayment } from '../ordered-payment.js';
import { isSentBy } from './sent-bytes.js';
import { checkSignedTransaction } from './signed-transaction-check.js';
import { fieldsOf, type WireField } from './transaction-fields.js';
import type { UnsignedTronTransaction } from './unsigned-transaction.js';

/** Fields that differ when the bytes are those of another transaction. */
const OF_ANOTHER: readonly string[] = ['owner', 'signature', 'txHash', 'raw'];

/**
 * Returns how signed bytes contradict their record or its order, as the end of a sentence; null when they do not. Fees, times
 * and the named block are not ordered, so they are taken from the bytes.
 * @param loss a transaction that was ordered by no one, and that staff adopted
 */
export function contradictionInTransaction(
  { raw, txHash, sender }: SignedBytes & { readonly sender: string },
  { payment, loss }: { readonly payment: OrderedPayment | null; readonly loss: object | null },
): string | null {
  if (loss !== null) return isSentBy({ raw, txHash }, sender) ? null : 'holds bytes that its sender has not signed';
  const fields = rawFields(raw);
  if (fields === null) return 'holds bytes that are no transaction';
  if (payment === null) return 'does what nothing ordered';
  try {
    checkSignedTransaction({ raw, txHash }, orderedBy(sender, payment, fields));
    return null;
  } catch (error) {
    if (!(error instanceof SignedMismatch)) throw error;
    return OF_ANOTHER.includes(error.field) ? 'holds the bytes of another transaction' : 'does what nothing ordered';
  }
}

/** Bytes that cannot be read must not end an audit. */
function rawFields(raw: string): readonly WireField[] | null {
  try {
    const [rawData] = fieldsOf(Buffer.from(raw, 'hex'));
    return rawData === undefined || typeof rawData.value === 'bigint' ? null : fieldsOf(rawData.value);
  } catch {
    return null;
  }
}

function orderedBy(
  owner: string,
  { token, amount: text, recipient: to }: OrderedPayment,
  fields: readonly WireField[],
): UnsignedTronTransaction {
  const amount = BigInt(text);
  const valueAt = (number: number): bigint | Buffer => fields.find((field) => field.number === number)?.value ?? 0n;
  const numberAt = (number: number): bigint => {
    const value = valueAt(number);
    return typeof value === 'bigint' ? value : 0n;
  };
  const hexAt = (number: number): string => {
    const value = valueAt(number);
    return typeof value === 'bigint' ? '' : value.toString('hex');
  };
  return {
    family: 'tron',
    owner,
    action: token === NATIVE_COIN ? { kind: 'coin', to, amount } : { kind: 'token', to, token, amount },
    // The bytes have these parts of the id alone.
    refBlock: `${'0'.repeat(12)}${hexAt(1)}${hexAt(4)}`,
    expiration: Number(numberAt(8)),
    timestamp: Number(numberAt(14)),
    feeLimit: numberAt(18),
  };
}
