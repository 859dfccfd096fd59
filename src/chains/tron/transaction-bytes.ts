import { hashOfKey, hexOfKey } from './tron-address.js';
import type { TronAction, UnsignedTronTransaction } from './unsigned-transaction.js';
import { bytesField, message, numberField } from './wire-message.js';

// https://github.com/tronprotocol/protocol

/** What is staked and delegated, by its number in `ResourceCode`: bandwidth would be 0. */
const ENERGY = 1n;

/** Places of the last two bytes of the height, and of the part of the hash that the bytes name, in the id of a block. */
const REF_BYTES = [6, 8] as const;
const REF_HASH = [8, 16] as const;

/** The first bytes of the hash of `transfer(address,uint256)`. */
const TRANSFER_SELECTOR = 'a9059cbb';
const WORD_DIGITS = 64;

/**
 * Returns the bytes of `raw_data`, whose SHA-256 is the id of the transaction.
 * @throws RangeError for a number that a field cannot hold
 */
export function rawDataBytes(unsigned: UnsignedTronTransaction): Uint8Array {
  const { owner, action, refBlock, expiration, timestamp, feeLimit } = unsigned;
  const id = Buffer.from(refBlock, 'hex');
  return message(
    bytesField(1, id.subarray(...REF_BYTES)),
    bytesField(4, id.subarray(...REF_HASH)),
    numberField(8, BigInt(expiration)),
    bytesField(11, contractBytes(owner, action)),
    numberField(14, BigInt(timestamp)),
    numberField(18, feeLimit),
  );
}

/** Returns a signed transaction as nodes take it, in hex. */
export function signedTransaction(rawData: Uint8Array, signature: Uint8Array): string {
  return message(bytesField(1, rawData), bytesField(2, signature)).toString('hex');
}

/** Returns the data of a token's `transfer(address,uint256)`. The argument is the address without its version byte. */
function transferData(to: string, amount: bigint): string {
  return TRANSFER_SELECTOR + hashOfKey(to).padStart(WORD_DIGITS, '0') + amount.toString(16).padStart(WORD_DIGITS, '0');
}

function contractBytes(owner: string, action: TronAction): Buffer {
  const ownerField = bytesField(1, addressBytes(owner));
  if (action.kind === 'coin') {
    const body = message(ownerField, bytesField(2, addressBytes(action.to)), numberField(3, action.amount));
    return contract(1n, 'TransferContract', body);
  }
  if (action.kind === 'token') {
    const data = Buffer.from(transferData(action.to, action.amount), 'hex');
    const body = message(ownerField, bytesField(2, addressBytes(action.token)), bytesField(4, data));
    return contract(31n, 'TriggerSmartContract', body);
  }
  if (action.kind === 'delegate' || action.kind === 'undelegate') {
    // Without a lock, which would keep it away for days.
    const receiver = bytesField(4, addressBytes(action.to));
    const body = message(ownerField, numberField(2, ENERGY), numberField(3, action.amount), receiver);
    return action.kind === 'delegate'
      ? contract(57n, 'DelegateResourceContract', body)
      : contract(58n, 'UnDelegateResourceContract', body);
  }
  if (action.kind === 'withdraw') return contract(56n, 'WithdrawExpireUnfreezeContract', message(ownerField));
  const body = message(ownerField, numberField(2, action.amount), numberField(3, ENERGY));
  return action.kind === 'stake'
    ? contract(54n, 'FreezeBalanceV2Contract', body)
    : contract(55n, 'UnfreezeBalanceV2Contract', body);
}

function contract(type: bigint, name: string, body: Buffer): Buffer {
  const url = bytesField(1, Buffer.from(`type.googleapis.com/protocol.${name}`));
  return message(numberField(1, type), bytesField(2, message(url, bytesField(2, body))));
}

const addressBytes = (key: string): Buffer => Buffer.from(hexOfKey(key), 'hex');
