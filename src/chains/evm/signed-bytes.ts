import { Signature } from 'ethers/crypto';
import { Transaction } from 'ethers/transaction';
import { toBeHex } from 'ethers/utils';
import { ChainUnavailable } from '../chain.js';
import { readAddress, readInteger, readList, readQuantity, readRecord } from './rpc-values.js';

const TYPE_EIP_1559 = 2;
const TYPE_EIP_7702 = 4;
const BYTES = /^0x(?:[0-9a-f]{2})*$/i;

/**
 * The signed bytes of a transaction as a node describes it field by field (`eth_getTransactionByHash`); null for types
 * other than those of EIP-1559 and EIP-7702. Whether they are the transaction that was asked for, their hash alone says.
 * @throws ChainUnavailable for what describes no transaction
 */
export function signedBytesOf(answer: unknown): string | null {
  const told = readRecord(answer, 'transaction');
  const type = readInteger(told['type'] ?? '0x0', 'type of a transaction');
  if (type !== TYPE_EIP_1559 && type !== TYPE_EIP_7702) return null;
  const fields = {
    type,
    chainId: readQuantity(told['chainId'], 'chain id of a transaction'),
    nonce: readInteger(told['nonce'], 'nonce of a transaction'),
    to: told['to'] === null ? null : readAddress(told['to'], 'receiver of a transaction'),
    value: readQuantity(told['value'], 'value of a transaction'),
    data: readBytes(told['input']),
    gasLimit: readQuantity(told['gas'], 'gas of a transaction'),
    maxFeePerGas: readQuantity(told['maxFeePerGas'], 'fee of a transaction'),
    maxPriorityFeePerGas: readQuantity(told['maxPriorityFeePerGas'], 'tip of a transaction'),
    accessList: readList(told['accessList'] ?? [], 'access list').map(readAccess),
    authorizationList:
      type === TYPE_EIP_7702
        ? readList(told['authorizationList'], 'list of authorizations').map(readAuthorization)
        : null,
  };
  return serialized(() => Transaction.from({ ...fields, signature: readSignature(told) }).serialized);
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
  const [r = '', s = ''] = ['r', 's'].map((part) => toBeHex(readQuantity(told[part], 'signature'), 32));
  const yParity = readInteger(told['yParity'] ?? told['v'], 'signature') === 0 ? 0 : 1;
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
