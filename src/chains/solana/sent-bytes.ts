import { base58 } from '@scure/base';
import type { SentBytes } from '../expiring-sent.js';
import type { Expiry } from '../expiring.js';
import { COMPUTE_BUDGET_PROGRAM } from './programs.js';
import { isSignedBy } from './signed-moves-check.js';
import { type DecodedTransaction, decodeAnyTransaction } from './transaction-decoder.js';
import type { SignedBytes } from '../expiring-transaction.js';

/** A block accepts transactions that name one of this many blocks before its parent, or the parent. */
const BLOCKHASH_AGE_MAX = 150;
/** What the chain allows a transaction for each of its instructions unless it sets a limit. */
const UNITS_OF_INSTRUCTION = 200_000;
const LIMIT_TAG = 2;
const PRICE_TAG = 3;

/** Signed bytes in a form that is read here. */
export interface ReadBytes extends Omit<SentBytes, 'expiry' | 'action'> {
  readonly decoded: DecodedTransaction;
}

/** Reads signed bytes; null for those of another form, or that the payer of their fee has not signed. */
export function readSentBytes(raw: string): ReadBytes | null {
  const decoded = decode(raw);
  const [signature] = decoded?.signatures ?? [];
  const [sender] = decoded?.keys ?? [];
  if (decoded === null || signature === undefined || sender === undefined) return null;
  if ((decoded.version ?? 0) !== 0 || !isSignedBy(sender, decoded.message, signature)) return null;
  const { limit, price } = feeOf(decoded);
  return {
    txHash: base58.encode(signature),
    raw,
    sender,
    fields: fieldsOf(decoded, sender),
    unitLimit: limit,
    unitPrice: price,
    decoded,
  };
}

/** Whether bytes are the transaction with this id, and signed by this payer of its fee. */
export function isSentBy({ raw, txHash }: SignedBytes, sender: string): boolean {
  const read = readSentBytes(raw);
  return read?.txHash === txHash && read.sender === sender;
}

/** The place of a block, and that of the block before it. */
interface MinedBlock {
  readonly parentSlot: number;
  readonly blockHeight: number;
}

/** When a transaction that is in a block could not have been in another one: it names a block before its own. */
export const expiryOfMined = ({ blockhash }: DecodedTransaction, { parentSlot, blockHeight }: MinedBlock): Expiry => ({
  after: { height: parentSlot, hash: blockhash },
  until: blockHeight + BLOCKHASH_AGE_MAX,
});

function decode(raw: string): DecodedTransaction | null {
  try {
    return decodeAnyTransaction(Buffer.from(raw, 'base64'));
  } catch {
    return null;
  }
}

function feeOf({ keys, instructions }: DecodedTransaction): { readonly limit: bigint; readonly price: bigint } {
  const budget = instructions.filter(({ program }) => keys[program] === COMPUTE_BUDGET_PROGRAM);
  const limit = budget.find(({ data }) => data[0] === LIMIT_TAG && data.length === 5)?.data.readUInt32LE(1) ?? 0;
  const price = budget.find(({ data }) => data[0] === PRICE_TAG && data.length === 9)?.data.readBigUInt64LE(1) ?? 0n;
  const allowed = UNITS_OF_INSTRUCTION * Math.max(1, instructions.length);
  return { limit: BigInt(limit === 0 ? allowed : limit), price };
}

const fieldsOf = ({ keys, blockhash, instructions }: DecodedTransaction, payer: string): string =>
  JSON.stringify({
    payer,
    blockhash,
    instructions: instructions.map(({ program, accounts, data }) => ({
      program: keys[program] ?? null,
      accounts: accounts.map((index) => keys[index] ?? null),
      data: data.toString('hex'),
    })),
  });
