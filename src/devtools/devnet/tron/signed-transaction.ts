import { signRecoverable } from 'tiny-secp256k1';
import { addressBytes } from './address.js';
import { rawDataOf, transactionOf, type TronTransaction } from './chain/tron-transaction.js';
import type { TronDevAccount } from './tron-dev-accounts.js';
import { ProtoMessage } from './wire/proto-message.js';
import { contractSchema } from './wire/tron-messages.js';

/** What the most expensive call of a test may burn. */
const FEE_LIMIT = 1_000_000_000n;

/** A transaction of a development account. */
export interface DevTransaction {
  readonly account: Pick<TronDevAccount, 'privateKey'>;
  /** Key of the account's address. */
  readonly owner: string;
  /** The contract's type, such as `TransferContract`, and its fields beside the owner. */
  readonly type: string;
  readonly fields: Readonly<Record<string, Uint8Array | bigint>>;
  /** Id of the block that it follows. */
  readonly reference: string;
  /** Ms. Equal transactions with equal times have the same id. */
  readonly timestamp: number;
  /** Ms. */
  readonly expiration: number;
}

/** Signs a transaction, and sends nothing. */
export function signedTransaction(transaction: DevTransaction): TronTransaction {
  const { account, owner, type, fields, reference, timestamp, expiration } = transaction;
  const body = ProtoMessage.of(contractSchema(type) ?? {}, { owner_address: addressBytes(owner), ...fields });
  const raw = rawDataOf(type, body, 0n, {
    ref_block_bytes: Buffer.from(reference.slice(12, 16), 'hex'),
    ref_block_hash: Buffer.from(reference.slice(16, 32), 'hex'),
    expiration: BigInt(expiration),
    timestamp: BigInt(timestamp),
    fee_limit: type === 'TriggerSmartContract' ? FEE_LIMIT : 0n,
  });
  const { id } = transactionOf(raw, []);
  const { signature, recoveryId } = signRecoverable(Buffer.from(id, 'hex'), Buffer.from(account.privateKey, 'hex'));
  return transactionOf(raw, [Buffer.concat([signature, Buffer.of(recoveryId)])]);
}
