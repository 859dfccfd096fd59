import { NATIVE_COIN } from '../../domain/network.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { SignedBytes } from '../expiring-transaction.js';
import { checkSignedTransaction } from './signed-transaction-check.js';
import { fieldsOf, type WireField } from './transaction-fields.js';
import type { UnsignedTronTransaction } from './unsigned-transaction.js';

/** A payment as its row orders it. */
export interface OrderedTronPayment {
  readonly token: string;
  readonly amount: string;
  readonly recipient: string;
}

/** The digits of a block's id before those that the bytes of a transaction have: only its height. */
const UNNAMED = '0'.repeat(12);

/**
 * Returns how signed bytes contradict their record or its order, as the end of a sentence; null when they do not. Block, times
 * and the limit of the fee are not ordered, so they are taken from the bytes.
 */
export function contradictionInTransaction(
  { raw, txHash, sender }: SignedBytes & { readonly sender: string },
  payment: OrderedTronPayment | null,
): string | null {
  const rawData = rawDataIn(raw);
  if (rawData === null) return 'holds bytes that are no transaction';
  if (payment === null) return 'does what nothing ordered';
  try {
    checkSignedTransaction({ raw, txHash }, orderedWith(rawData, sender, payment));
    return null;
  } catch (error) {
    if (!(error instanceof SignedMismatch)) throw error;
    const isItself = !['owner', 'signature', 'txHash', 'raw'].includes(error.field);
    return isItself ? 'does what nothing ordered' : 'holds the bytes of another transaction';
  }
}

/** Returns the fields of `raw_data`; null for bytes that cannot be read, which must not end an audit. */
function rawDataIn(raw: string): readonly WireField[] | null {
  try {
    const [first] = fieldsOf(Buffer.from(raw, 'hex'));
    return first === undefined || typeof first.value === 'bigint' ? null : fieldsOf(first.value);
  } catch {
    return null;
  }
}

/** Returns the transaction that the order leads to, with the block, the times and the limit of the bytes. */
function orderedWith(
  rawData: readonly WireField[],
  owner: string,
  { token, amount: units, recipient: to }: OrderedTronPayment,
): UnsignedTronTransaction {
  const amount = BigInt(units);
  return {
    family: 'tron',
    owner,
    action: token === NATIVE_COIN ? { kind: 'coin', to, amount } : { kind: 'token', to, token, amount },
    refBlock: UNNAMED + hexIn(rawData, 1) + hexIn(rawData, 4),
    expiration: Number(numberIn(rawData, 8)),
    timestamp: Number(numberIn(rawData, 14)),
    feeLimit: numberIn(rawData, 18),
  };
}

function hexIn(fields: readonly WireField[], number: number): string {
  const value = fields.find((field) => field.number === number)?.value;
  return value === undefined || typeof value === 'bigint' ? '' : value.toString('hex');
}

function numberIn(fields: readonly WireField[], number: number): bigint {
  const value = fields.find((field) => field.number === number)?.value;
  return typeof value === 'bigint' ? value : 0n;
}
