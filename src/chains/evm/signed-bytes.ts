import { Signature } from 'ethers/crypto';
import { Transaction, type TransactionLike } from 'ethers/transaction';
import { toBeHex } from 'ethers/utils';
import { ChainUnavailable } from '../chain.js';
import { readAddress, readInteger, readList, readQuantity, readRecord } from './rpc-values.js';

const TYPE_LEGACY = 0;
const TYPE_ACCESS_LIST = 1;
const TYPE_EIP_1559 = 2;
const TYPE_EIP_7702 = 4;
const KNOWN_TYPES: ReadonlySet<number> = new Set([TYPE_LEGACY, TYPE_ACCESS_LIST, TYPE_EIP_1559, TYPE_EIP_7702]);
/** EIP-155: `v` of a legacy signature is 35 + 2 * chain id + parity. Without a chain id, it is 27 + parity. */
const PROTECTED_FROM = 35n;
const UNPROTECTED_FROM = 27n;
const BYTES = /^0x(?:[0-9a-f]{2})*$/i;

/**
 * Rebuilds the signed bytes of a transaction from a node's description (`eth_getTransactionByHash`). Returns null for
 * unsupported types, such as transactions with blobs. The caller checks the hash of the bytes.
 * @throws ChainUnavailable when the answer does not describe a transaction.
 */
export function signedBytesOf(answer: unknown): string | null {
  const transaction = readRecord(answer, 'transaction');
  const type = readInteger(transaction['type'] ?? '0x0', 'type of a transaction');
  if (!KNOWN_TYPES.has(type)) return null;
  const fields = {
    type,
    nonce: readInteger(transaction['nonce'], 'nonce of a transaction'),
    to: transaction['to'] === null ? null : readAddress(transaction['to'], 'receiver of a transaction'),
    value: readQuantity(transaction['value'], 'value of a transaction'),
    data: readBytes(transaction['input']),
    gasLimit: readQuantity(transaction['gas'], 'gas of a transaction'),
    ...extraFieldsOf(type, transaction),
  };
  const signature = type === TYPE_LEGACY ? readLegacySignature(transaction) : readSignature(transaction);
  return serialized(() => Transaction.from({ ...fields, signature }).serialized);
}

/** Returns the fields that only some types have. */
function extraFieldsOf(type: number, transaction: Record<string, unknown>): TransactionLike {
  if (type === TYPE_LEGACY) return { chainId: legacyPlaceOf(transaction).chainId, gasPrice: readGasPrice(transaction) };
  const common = {
    chainId: readQuantity(transaction['chainId'], 'chain id of a transaction'),
    accessList: readList(transaction['accessList'] ?? [], 'access list').map(readAccess),
  };
  if (type === TYPE_ACCESS_LIST) return { ...common, gasPrice: readGasPrice(transaction) };
  return {
    ...common,
    maxFeePerGas: readQuantity(transaction['maxFeePerGas'], 'fee of a transaction'),
    maxPriorityFeePerGas: readQuantity(transaction['maxPriorityFeePerGas'], 'tip of a transaction'),
    ...(type === TYPE_EIP_7702 && {
      authorizationList: readList(transaction['authorizationList'], 'list of authorizations').map(readAuthorization),
    }),
  };
}

const readGasPrice = (transaction: Record<string, unknown>): bigint =>
  readQuantity(transaction['gasPrice'], 'gas price');

/** Returns the chain id and the parity from a legacy signature; chain id 0 = any chain. */
function legacyPlaceOf(transaction: Record<string, unknown>): { readonly chainId: bigint; readonly yParity: 0 | 1 } {
  const v = readQuantity(transaction['v'], 'signature');
  const isProtected = v >= PROTECTED_FROM;
  const above = v - (isProtected ? PROTECTED_FROM : UNPROTECTED_FROM);
  if (above < 0n || (!isProtected && above > 1n)) throw malformed();
  return { chainId: isProtected ? above / 2n : 0n, yParity: above % 2n === 0n ? 0 : 1 };
}

function readAccess(value: unknown): { address: string; storageKeys: string[] } {
  const access = readRecord(value, 'access list');
  const keys = readList(access['storageKeys'], 'access list');
  return { address: readAddress(access['address'], 'access list'), storageKeys: keys.map(String) };
}

function readAuthorization(value: unknown): { address: string; nonce: bigint; chainId: bigint; signature: Signature } {
  const authorization = readRecord(value, 'authorization');
  return {
    address: readAddress(authorization['address'], 'authorization'),
    nonce: readQuantity(authorization['nonce'], 'nonce of an authorization'),
    chainId: readQuantity(authorization['chainId'], 'chain id of an authorization'),
    signature: readSignature(authorization),
  };
}

/** Reads `r` and `s` as numbers, because nodes leave out leading zeros. */
function readSignature(transaction: Record<string, unknown>): Signature {
  return signatureOf(transaction, readInteger(transaction['yParity'] ?? transaction['v'], 'signature') === 0 ? 0 : 1);
}

const readLegacySignature = (transaction: Record<string, unknown>): Signature =>
  signatureOf(transaction, legacyPlaceOf(transaction).yParity);

function signatureOf(transaction: Record<string, unknown>, yParity: 0 | 1): Signature {
  const [r = '', s = ''] = ['r', 's'].map((part) => toBeHex(readQuantity(transaction[part], 'signature'), 32));
  return serialized(() => Signature.from({ r, s, yParity }));
}

function readBytes(value: unknown): string {
  if (typeof value !== 'string' || !BYTES.test(value)) throw malformed();
  return value;
}

/** Runs `build`, and reports fields that the library refuses as malformed. */
function serialized<T>(build: () => T): T {
  try {
    return build();
  } catch (error) {
    throw malformed({ cause: error });
  }
}

const malformed = (options?: ErrorOptions): ChainUnavailable =>
  new ChainUnavailable('The node answered with a malformed transaction.', options);
