import { keccak_256 } from '@noble/hashes/sha3.js';
import { recover } from 'tiny-secp256k1';
import type {
  EvmAuthorization,
  EvmTransactionFields,
  SignedEvmAuthorization,
  SignedEvmTransaction,
} from '../chains/evm/evm-transaction.js';
import { decodeRlp, encodeRlp, type RlpItem } from './evm/rlp.js';
import { evmKey } from '../domain/evm-address.js';
import { SignedMismatch } from '../domain/signed-mismatch.js';

/** The expected content and signer (an address in any spelling) of an authorization. */
export interface ExpectedAuthorization extends EvmAuthorization {
  readonly chainId: bigint;
  readonly authority: string;
}

/** The expected content and signer (an address in any spelling) of the bytes. */
export interface ExpectedEvmTransaction extends EvmTransactionFields {
  readonly sender: string;
  /** In their order; all of them on the transaction's own chain and checked by `checkAuthorization`. */
  readonly authorizations?: readonly SignedEvmAuthorization[] | undefined;
}

/**
 * A field of signed bytes that can differ from the request; `raw` when they are not a transaction in canonical
 * encoding.
 */
export type SignedField = keyof ExpectedEvmTransaction | 'raw' | 'hash' | 'type' | 'accessList' | 'yParity' | 'r' | 's';

const TYPE_EIP_1559 = 2;
const TYPE_EIP_7702 = 4;
const WORD = /^0x[0-9a-f]{64}$/i;
/** The prefix of an authorization when it is signed. */
const AUTHORIZATION_MAGIC = 5;
const SIGNATURE_ITEMS = 3;
const WORD_BYTES = 32;
const PUBLIC_KEY_PREFIX_BYTES = 1;
const ADDRESS_BYTES = 20;
/** The order of secp256k1. A signature with `s` in its upper half has a twin in the lower one; chains refuse it. */
const CURVE_ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n;

/** The unsigned fields in the order of EIP-1559; EIP-7702 appends one more. Null for an invalid expected value. */
const UNSIGNED_FIELDS: readonly [SignedField, (expected: EvmTransactionFields) => RlpItem | null][] = [
  ['chainId', ({ chainId }) => (chainId === 0n ? null : quantity(chainId))],
  ['nonce', ({ nonce }) => quantity(nonce)],
  ['maxPriorityFeePerGas', ({ maxPriorityFeePerGas }) => quantity(maxPriorityFeePerGas)],
  ['maxFeePerGas', ({ maxFeePerGas }) => quantity(maxFeePerGas)],
  ['gasLimit', ({ gasLimit }) => quantity(gasLimit)],
  ['to', ({ to }) => (to.length === 42 ? hexBytes(to) : null)],
  ['value', ({ value }) => quantity(value)],
  ['data', ({ data }) => hexBytes(data)],
  ['accessList', () => []],
];

/**
 * Decodes the signed bytes and compares every field with the request, then the signature, its sender and the hash. A
 * transaction of another type (blobs, no chain id, unrequested authorizations) is refused by its first byte. The caller
 * of the vault runs this with other code than the signer's, so that a compromised builder is detected.
 * @throws SignedMismatch naming the first field that differs.
 */
export function checkSigned({ raw, hash }: SignedEvmTransaction, expected: ExpectedEvmTransaction): void {
  const bytes = hexBytes(raw);
  if (bytes === null || bytes.length === 0) throw new SignedMismatch('raw');
  const authorizations = expected.authorizations ?? [];
  const type = authorizations.length > 0 ? TYPE_EIP_7702 : TYPE_EIP_1559;
  if (bytes.readUInt8() !== type) throw new SignedMismatch('type');
  const unsignedCount = UNSIGNED_FIELDS.length + (type === TYPE_EIP_7702 ? 1 : 0);
  const items = itemsOf(bytes.subarray(1), unsignedCount + SIGNATURE_ITEMS);
  UNSIGNED_FIELDS.forEach(([field, wanted], position) => {
    if (!isSame(items[position], wanted(expected))) throw new SignedMismatch(field);
  });
  if (authorizations.length > 0) checkAuthorizations(items[UNSIGNED_FIELDS.length], expected.chainId, authorizations);
  const unsigned = encodeRlp(items.slice(0, unsignedCount));
  const signature = signatureOf(items.slice(unsignedCount));
  const signer = signerOf(keccak(Buffer.concat([Buffer.of(type), unsigned])), signature);
  if (signer !== evmKey(expected.sender)) throw new SignedMismatch('sender');
  if (hash !== hexOf(keccak(bytes))) throw new SignedMismatch('hash');
}

/**
 * Compares an authorization with the request, and its signature with its address. It takes milliseconds for each, so a
 * sweep's are checked before anything is locked; `checkSigned` finds the same ones again.
 * @throws SignedMismatch
 */
export function checkAuthorization(signed: SignedEvmAuthorization, expected: ExpectedAuthorization): void {
  const { chainId, delegate, nonce, authority } = expected;
  const isAsked = signed.nonce === nonce && evmKey(signed.delegate) === evmKey(delegate);
  const [terms, signature] = [termsOf(chainId, expected), signatureItems(signed)];
  if (!isAsked || chainId <= 0n || !isWhole(terms) || !isWhole(signature)) throw new SignedMismatch('authorizations');
  const digest = keccak(Buffer.concat([Buffer.of(AUTHORIZATION_MAGIC), encodeRlp(terms)]));
  if (signerOf(digest, signatureOf(signature)) !== evmKey(authority)) {
    throw new SignedMismatch('authorizations');
  }
}

/** Checks that the list is exactly these authorizations, all for this chain. */
function checkAuthorizations(
  list: RlpItem | undefined,
  chainId: bigint,
  expected: readonly SignedEvmAuthorization[],
): void {
  if (list === undefined || Buffer.isBuffer(list) || list.length !== expected.length) {
    throw new SignedMismatch('authorizations');
  }
  for (const [place, each] of expected.entries()) {
    const wanted = [...termsOf(chainId, each), ...signatureItems(each)];
    if (!isWhole(wanted) || !isSame(list[place], wanted)) throw new SignedMismatch('authorizations');
  }
}

/** Returns the signed fields of an authorization; null for an invalid one. */
const termsOf = (chainId: bigint, { delegate, nonce }: EvmAuthorization): (RlpItem | null)[] => [
  quantity(chainId),
  delegate.length === 42 ? hexBytes(delegate) : null,
  quantity(nonce),
];

const signatureItems = ({ yParity, r, s }: SignedEvmAuthorization): (RlpItem | null)[] => [
  quantity(yParity),
  ...[r, s].map((word) => (WORD.test(word) ? quantity(BigInt(word)) : null)),
];

const isWhole = (items: readonly (RlpItem | null)[]): items is RlpItem[] => items.every((item) => item !== null);

function itemsOf(payload: Buffer, count: number): readonly RlpItem[] {
  const items = decoded(payload);
  if (items === null || Buffer.isBuffer(items) || items.length !== count) throw new SignedMismatch('raw');
  return items;
}

function decoded(payload: Buffer): RlpItem | null {
  try {
    return decodeRlp(payload);
  } catch {
    return null;
  }
}

function isSame(item: RlpItem | undefined, wanted: RlpItem | null): boolean {
  return item !== undefined && wanted !== null && encodeRlp(item).equals(encodeRlp(wanted));
}

interface EvmSignature {
  readonly yParity: 0 | 1;
  /** `r` and `s`, 32 bytes each. */
  readonly compact: Buffer;
}

function signatureOf([yParity, r, s]: readonly RlpItem[]): EvmSignature {
  const isOdd = isSame(yParity, quantity(1));
  if (!isOdd && !isSame(yParity, quantity(0))) throw new SignedMismatch('yParity');
  return {
    yParity: isOdd ? 1 : 0,
    compact: Buffer.concat([scalar('r', r, CURVE_ORDER - 1n), scalar('s', s, CURVE_ORDER / 2n)]),
  };
}

/** Returns a number from 1 to `max` as 32 bytes. It must be encoded without leading zeros. */
function scalar(field: SignedField, item: RlpItem | undefined, max: bigint): Buffer {
  if (!Buffer.isBuffer(item) || item.length === 0) throw new SignedMismatch(field);
  const value = BigInt(`0x${item.toString('hex')}`);
  if (value < 1n || value > max || !isSame(item, quantity(value))) throw new SignedMismatch(field);
  return Buffer.concat([Buffer.alloc(WORD_BYTES - item.length), item]);
}

/** Returns the lower-case address whose key signed the digest; null when there is none. */
function signerOf(digest: Buffer, { yParity, compact }: EvmSignature): string | null {
  const publicKey = recovered(digest, compact, yParity);
  if (publicKey === null) return null;
  const digestOfKey = keccak(publicKey.subarray(PUBLIC_KEY_PREFIX_BYTES));
  return hexOf(digestOfKey.subarray(-ADDRESS_BYTES));
}

/** Bitcoin's own library, compiled to WebAssembly, takes a sixth of the time of JavaScript. */
function recovered(digest: Buffer, compact: Buffer, yParity: 0 | 1): Uint8Array | null {
  try {
    return recover(digest, compact, yParity, false);
  } catch {
    return null;
  }
}

/** Encodes a number for RLP: big endian without leading zeros, so that 0 is empty. Null for an invalid number. */
function quantity(value: bigint | number): Buffer | null {
  if (value < 0 || (typeof value === 'number' && !Number.isSafeInteger(value))) return null;
  const digits = BigInt(value).toString(16);
  return BigInt(value) === 0n
    ? Buffer.alloc(0)
    : Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
}

function hexBytes(text: string): Buffer | null {
  return /^0x(?:[0-9a-fA-F]{2})*$/.test(text) ? Buffer.from(text.slice(2), 'hex') : null;
}

function keccak(bytes: Uint8Array): Buffer {
  return Buffer.from(keccak_256(bytes));
}

const hexOf = (bytes: Buffer): string => `0x${bytes.toString('hex')}`;
