import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { recover } from 'tiny-secp256k1';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { SignedBytes } from '../expiring-transaction.js';
import { fieldsOf, type WireField } from './transaction-fields.js';
import { hexOfKey } from './tron-address.js';
import type { UnsignedTronTransaction } from './unsigned-transaction.js';

/** A field as it must be in the bytes: a number, text, or bytes in hex. */
type Expected = readonly [number: number, value: bigint | string, name: string];

const SIGNATURE_BYTES = 65;
const COMPACT_BYTES = 64;
/** Recovery ids 0 and 1 are written as 27 and 28, as wallets of tron do. */
const RECOVERY_OFFSET = 27;
/** Half the order of secp256k1: a signature with `s` above has a twin below. */
const S_MAX = 0x7fffffff_ffffffff_ffffffff_ffffffff_5d576e73_57a4501d_dfe92f46_681b20a0n;
/** The number of energy among the resources that can be staked and delegated. */
const ENERGY = 1n;
const DELEGATIONS = {
  delegate: { type: 57n, name: 'DelegateResourceContract' },
  undelegate: { type: 58n, name: 'UnDelegateResourceContract' },
} as const;
const STAKINGS = {
  stake: { type: 54n, name: 'FreezeBalanceV2Contract' },
  unstake: { type: 55n, name: 'UnfreezeBalanceV2Contract' },
  withdraw: { type: 56n, name: 'WithdrawExpireUnfreezeContract' },
} as const;
const ZEROS = '0'.repeat(24);

/**
 * Decodes signed bytes and compares every field with the transaction that was to be signed, with none beside them; then
 * their id, the signature, and that it is the owner's. The decoder, the hashes and the library of the signature are others
 * than the signer's, so that a compromised builder is detected.
 * @throws SignedMismatch naming the first field that differs
 */
export function checkSignedTransaction({ raw, txHash }: SignedBytes, unsigned: UnsignedTronTransaction): void {
  const [rawField, signatureField, ...others] = decoded(bytesOf(raw), 'raw');
  if (others.length > 0 || rawField?.number !== 1 || signatureField?.number !== 2) throw new SignedMismatch('raw');
  if (typeof rawField.value === 'bigint' || typeof signatureField.value === 'bigint') throw new SignedMismatch('raw');
  const rawData = rawField.value;
  compareRawData(rawData, unsigned);
  const digest = createHash('sha256').update(rawData).digest();
  if (digest.toString('hex') !== txHash) throw new SignedMismatch('txHash');
  if (signerOf(digest, signatureField.value) !== hexOfKey(unsigned.owner)) throw new SignedMismatch('signature');
}

function compareRawData(rawData: Buffer, unsigned: UnsignedTronTransaction): void {
  const { refBlock, expiration, timestamp, feeLimit } = unsigned;
  const contract = bytesIn(decoded(rawData, 'raw'), 11);
  compare(rawData, [
    [1, refBlock.slice(12, 16), 'refBlock'],
    [4, refBlock.slice(16, 32), 'refBlock'],
    [8, BigInt(expiration), 'expiration'],
    [11, contract.toString('hex'), 'action'],
    [14, BigInt(timestamp), 'timestamp'],
    ...(feeLimit === 0n ? [] : [[18, feeLimit, 'feeLimit'] as const]),
  ]);
  const { type, url, body } = contractOf(unsigned);
  const parameter = bytesIn(decoded(contract, 'action'), 2);
  compare(contract, [
    [1, type, 'action'],
    [2, parameter.toString('hex'), 'action'],
  ]);
  const value = bytesIn(decoded(parameter, 'action'), 2);
  compare(parameter, [
    [1, Buffer.from(url).toString('hex'), 'action'],
    [2, value.toString('hex'), 'action'],
  ]);
  compare(value, body);
}

/** Returns the contract that the bytes must have, by other code than what builds them. */
function contractOf({ owner, action }: UnsignedTronTransaction): {
  readonly type: bigint;
  readonly url: string;
  readonly body: readonly Expected[];
} {
  const ownerField: Expected = [1, hexOfKey(owner), 'owner'];
  if (action.kind === 'coin') {
    const body: readonly Expected[] = [ownerField, [2, hexOfKey(action.to), 'to'], [3, action.amount, 'amount']];
    return { type: 1n, url: 'type.googleapis.com/protocol.TransferContract', body };
  }
  if (action.kind === 'token') {
    // The argument of the call has no version byte.
    const data = `a9059cbb${ZEROS}${hexOfKey(action.to).slice(2)}${hexWord(action.amount)}`;
    const body: readonly Expected[] = [ownerField, [2, hexOfKey(action.token), 'token'], [4, data, 'data']];
    return { type: 31n, url: 'type.googleapis.com/protocol.TriggerSmartContract', body };
  }
  if (action.kind === 'delegate' || action.kind === 'undelegate') {
    const { type, name } = DELEGATIONS[action.kind];
    const delegated: readonly Expected[] = [
      [2, ENERGY, 'resource'],
      [3, action.amount, 'amount'],
      [4, hexOfKey(action.to), 'to'],
    ];
    return { type, url: `type.googleapis.com/protocol.${name}`, body: [ownerField, ...delegated] };
  }
  const { type, name } = STAKINGS[action.kind];
  const staked: readonly Expected[] = [
    [2, action.amount, 'amount'],
    [3, ENERGY, 'resource'],
  ];
  const body = [ownerField, ...(action.kind === 'withdraw' ? [] : staked)];
  return { type, url: `type.googleapis.com/protocol.${name}`, body };
}

const hexWord = (value: bigint): string => `${'0'.repeat(64)}${value.toString(16)}`.slice(-64);

/** A message has exactly these fields, in this order. */
function compare(message: Buffer, expected: readonly Expected[]): void {
  const fields = decoded(message, 'raw');
  for (const [place, [number, value, name]] of expected.entries()) {
    const found = fields[place];
    const shown = typeof found?.value === 'bigint' ? found.value : found?.value.toString('hex');
    if (found?.number !== number || shown !== value) throw new SignedMismatch(name);
  }
  if (fields.length !== expected.length) throw new SignedMismatch('raw');
}

function bytesIn(fields: readonly WireField[], number: number): Buffer {
  const found = fields.find((field) => field.number === number)?.value;
  if (found === undefined || typeof found === 'bigint') throw new SignedMismatch('action');
  return found;
}

function bytesOf(raw: string): Buffer {
  const bytes = Buffer.from(raw, 'hex');
  if (bytes.toString('hex') !== raw) throw new SignedMismatch('raw');
  return bytes;
}

function decoded(bytes: Buffer, name: string): readonly WireField[] {
  try {
    return fieldsOf(bytes);
  } catch {
    throw new SignedMismatch(name);
  }
}

/** Returns the address whose key signed the digest, as 42 digits; null when there is none. */
export function signerOf(digest: Buffer, signature: Buffer): string | null {
  const recovery = (signature[COMPACT_BYTES] ?? 0) - RECOVERY_OFFSET;
  if (signature.length !== SIGNATURE_BYTES || (recovery !== 0 && recovery !== 1)) return null;
  if (BigInt(`0x${signature.subarray(32, COMPACT_BYTES).toString('hex')}`) > S_MAX) return null;
  const point = recovered(digest, signature.subarray(0, COMPACT_BYTES), recovery);
  return point === null
    ? null
    : `41${Buffer.from(keccak_256(point.subarray(1)))
        .toString('hex')
        .slice(-40)}`;
}

function recovered(digest: Buffer, compact: Buffer, recovery: 0 | 1): Uint8Array | null {
  try {
    return recover(digest, compact, recovery, false);
  } catch {
    return null;
  }
}
