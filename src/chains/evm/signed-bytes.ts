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
/** EIP-155: `v` of a legacy signature is this much and twice the chain id above 0 or 1. Without a chain, it is 27 or 28. */
const PROTECTED_FROM = 35n;
const UNPROTECTED_FROM = 27n;
const BYTES = /^0x(?:[0-9a-f]{2})*$/i;

/**
 * The signed bytes of a transaction as a node describes it field by field (`eth_getTransactionByHash`); null for types
 * that are not known here, such as those that carry blobs. Whether they are the transaction that was asked for, their hash alone says.
 * @throws ChainUnavailable for what describes no transaction
 */
export function signedBytesOf(answer: unknown): string | null {
  const told = readRecord(answer, 'transaction');
  const type = readInteger(told['type'] ?? '0x0', 'type of a transaction');
  if (!KNOWN_TYPES.has(type)) return null;
  const fields = {
    type,
    nonce: readInteger(told['nonce'], 'nonce of a transaction'),
    to: told['to'] === null ? null : readAddress(told['to'], 'receiver of a transaction'),
    value: readQuantity(told['value'], 'value of a transaction'),
    data: readBytes(told['input']),
    gasLimit: readQuantity(told['gas'], 'gas of a transaction'),
    ...extraFieldsOf(type, told),
  };
  const signature = type === TYPE_LEGACY ? readLegacySignature(told) : readSignature(told);
  return serialized(() => Transaction.from({ ...fields, signature }).serialized);
}

/** What not every type has. */
function extraFieldsOf(type: number, told: Record<string, unknown>): TransactionLike {
  if (type === TYPE_LEGACY) return { chainId: legacyPlaceOf(told).chainId, gasPrice: readGasPrice(told) };
  const common = {
    chainId: readQuantity(told['chainId'], 'chain id of a transaction'),
    accessList: readList(told['accessList'] ?? [], 'access list').map(readAccess),
  };
  if (type === TYPE_ACCESS_LIST) return { ...common, gasPrice: readGasPrice(told) };
  return {
    ...common,
    maxFeePerGas: readQuantity(told['maxFeePerGas'], 'fee of a transaction'),
    maxPriorityFeePerGas: readQuantity(told['maxPriorityFeePerGas'], 'tip of a transaction'),
    ...(type === TYPE_EIP_7702 && {
      authorizationList: readList(told['authorizationList'], 'list of authorizations').map(readAuthorization),
    }),
  };
}

const readGasPrice = (told: Record<string, unknown>): bigint => readQuantity(told['gasPrice'], 'gas price');

/** The chain that a legacy transaction is for, which its signature alone says; 0 = whichever. */
function legacyPlaceOf(told: Record<string, unknown>): { readonly chainId: bigint; readonly yParity: 0 | 1 } {
  const v = readQuantity(told['v'], 'signature');
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
  const told = readRecord(value, 'authorization');
  return {
    address: readAddress(told['address'], 'authorization'),
    nonce: readQuantity(told['nonce'], 'nonce of an authorization'),
    chainId: readQuantity(told['chainId'], 'chain id of an authorization'),
    signature: readSignature(told),
  };
}

/** As numbers: nodes leave out leading zeros. */
function readSignature(told: Record<string, unknown>): Signature {
  return signatureOf(told, readInteger(told['yParity'] ?? told['v'], 'signature') === 0 ? 0 : 1);
}

const readLegacySignature = (told: Record<string, unknown>): Signature =>
  signatureOf(told, legacyPlaceOf(told).yParity);

function signatureOf(told: Record<string, unknown>, yParity: 0 | 1): Signature {
  const [r = '', s = ''] = ['r', 's'].map((part) => toBeHex(readQuantity(told[part], 'signature'), 32));
  return serialized(() => Signature.from({ r, s, yParity }));
}

function readBytes(value: unknown): string {
  if (typeof value !== 'string' || !BYTES.test(value)) throw malformed();
  return value;
}

/** What the library refuses to put together is no transaction. */
function serialized<T>(build: () => T): T {
  try {
    return build();
  } catch (error) {
    throw malformed({ cause: error });
  }
}

const malformed = (options?: ErrorOptions): ChainUnavailable =>
  new ChainUnavailable('The node answered with a malformed transaction.', options);
