import { createHash } from 'node:crypto';
import { pointFromScalar, signRecoverable } from 'tiny-secp256k1';
import { addressBytes, addressOfPublicKey } from '../address.js';
import { ProtoMessage } from '../wire/proto-message.js';
import { BLOCK_HEADER, CONTRACT_RESULTS, RESULT, TRANSACTION } from '../wire/tron-messages.js';
import { contractRetOf, type Outcome } from './execution.js';
import type { TronTransaction } from './tron-transaction.js';

/** A transaction in a block. */
export interface IncludedTransaction {
  readonly transaction: TronTransaction;
  readonly outcome: Outcome;
}

/** What a block's id is made of. Ids are hex. */
export interface BlockHeader {
  readonly number: number;
  /** Ms, on a slot of the chain. */
  readonly time: number;
  readonly parentId: string;
  readonly transactionRoot: string;
  /** Address key of the witness that made it. */
  readonly witness: string;
  readonly version: number;
}

/** Of the blocks of this chain. */
export const BLOCK_VERSION = 34;
const WITNESSES = 27;
const ID_BYTES = 32;
const NUMBER_BYTES = 8;
const NO_TRANSACTIONS = Buffer.alloc(ID_BYTES).toString('hex');

interface Witness {
  readonly address: string;
  readonly privateKey: Uint8Array;
}

/** The 27 witnesses; their keys sign blocks of development chains and nothing else. */
const witnesses: readonly Witness[] = Array.from({ length: WITNESSES }, (_, index) => {
  const privateKey = sha256(Buffer.from(`witness ${index} of the tron development chain`));
  const point = pointFromScalar(privateKey, false);
  if (point === null) throw new Error('A witness has no key.');
  return { address: addressOfPublicKey(point), privateKey };
});

/** Returns the address key of the witness whose turn it is in a slot. */
export function witnessOf(slot: number): string {
  return witnesses[slot % WITNESSES]?.address ?? '';
}

/** The number of a block, then the end of the hash of its header. Source: BlockCapsule.getBlockId. */
export function blockIdOf(header: BlockHeader): string {
  const number = Buffer.alloc(NUMBER_BYTES);
  number.writeBigUInt64BE(BigInt(header.number));
  return Buffer.concat([number, headerHash(header).subarray(NUMBER_BYTES)]).toString('hex');
}

/** Returns the number that a block's id begins with. */
export const numberOfBlockId = (id: string): number => Number(BigInt(`0x${id.slice(0, 2 * NUMBER_BYTES)}`));

/** Signatures by the hash of the header, oldest first: blocks are read far more often than they are made. */
const signatures = new Map<string, string>();
const SIGNATURES_MAX = 512;

/** Returns the signature of the block's witness, in hex. */
export function witnessSignature(header: BlockHeader): string {
  const { privateKey } = witnesses.find(({ address }) => address === header.witness) ?? {};
  // The genesis block is signed by nobody.
  if (privateKey === undefined) return '';
  const hash = headerHash(header);
  const key = hash.toString('hex');
  const known = signatures.get(key);
  if (known !== undefined) return known;
  const { signature, recoveryId } = signRecoverable(hash, privateKey);
  const signed = Buffer.concat([signature, Buffer.of(recoveryId)]).toString('hex');
  signatures.set(key, signed);
  if (signatures.size > SIGNATURES_MAX) signatures.delete(signatures.keys().next().value ?? '');
  return signed;
}

/**
 * The Merkle root over the hashes of whole transactions with their results; a leaf without a partner goes up as it is.
 * Source: MerkleTree, TransactionCapsule.getMerkleHash.
 */
export function transactionRoot(included: readonly IncludedTransaction[]): string {
  let level = included.map(({ transaction, outcome }) => sha256(withResult(transaction, outcome)));
  while (level.length > 1) {
    const below = level;
    level = below.flatMap((left, index) => {
      if (index % 2 === 1) return [];
      const right = below[index + 1];
      return [right === undefined ? left : sha256(Buffer.concat([left, right]))];
    });
  }
  return level[0]?.toString('hex') ?? NO_TRANSACTIONS;
}

/** The result is the last field of a transaction, so it follows the other bytes. */
function withResult({ bytes }: TronTransaction, outcome: Outcome): Uint8Array {
  const result = ProtoMessage.of(RESULT, { contractRet: CONTRACT_RESULTS[contractRetOf(outcome)] });
  return Buffer.concat([bytes, ProtoMessage.of(TRANSACTION, { ret: [result] }).encode()]);
}

function headerHash({ number, time, parentId, transactionRoot: root, witness, version }: BlockHeader): Buffer {
  const header = ProtoMessage.of(BLOCK_HEADER, {
    timestamp: BigInt(time),
    txTrieRoot: Buffer.from(root, 'hex'),
    parentHash: Buffer.from(parentId, 'hex'),
    number: BigInt(number),
    witness_address: addressBytes(witness),
    version: BigInt(version),
  });
  return sha256(header.encode());
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
