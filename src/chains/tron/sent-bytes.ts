import { createHash } from 'node:crypto';
import { z } from 'zod';
import { NATIVE_COIN } from '../../domain/network.js';
import type { SentAction, SentBytes } from '../expiring-sent.js';
import type { SignedBytes } from '../expiring-transaction.js';
import { parsed } from './answer-shapes.js';
import { type DecodedAction, decodedContract } from './decoded-action.js';
import { foundTransactions } from './found-transactions.js';
import { signerOf } from './signed-transaction-check.js';
import { signedTransaction } from './transaction-bytes.js';
import { fieldsOf } from './transaction-fields.js';
import { hexOfKey, keyOfHex } from './tron-address.js';
import type { TronHttp } from './tron-http.js';

/** `transfer(address,uint256)` with its two words. */
const TRANSFER_CALL = /^a9059cbb0{24}(?<to>[0-9a-f]{40})(?<amount>[0-9a-f]{64})$/;
const EXPIRATION = 8;
const FEE_LIMIT = 18;

const signedShape = z.object({
  txID: z.string(),
  raw_data_hex: z.string().regex(/^(?:[0-9a-f]{2})+$/),
  signature: z.array(z.string().regex(/^(?:[0-9a-f]{2})+$/)),
});

/** Returns the bytes of a transaction in a final block; null when the node has none. `unreadable`: of another form. */
export async function sentBytesOf(
  http: Pick<TronHttp, 'ask'>,
  txHash: string,
): Promise<SentBytes | 'unreadable' | null> {
  const [found] = await foundTransactions(http, [txHash]);
  if (found === null || found === undefined) return null;
  const answer = await http.ask('walletsolidity', 'gettransactionbyid', { value: txHash });
  const { txID, raw_data_hex: rawHex, signature } = parsed(signedShape, answer, 'transaction');
  const rawData = Buffer.from(rawHex, 'hex');
  const digest = createHash('sha256').update(rawData).digest();
  const [only, ...others] = signature;
  if (txID !== txHash || digest.toString('hex') !== txHash || only === undefined || others.length > 0) {
    return 'unreadable';
  }
  const signatureBytes = Buffer.from(only, 'hex');
  const content = contentOf(rawData);
  if (content === null || signerOf(digest, signatureBytes) !== content.owner) return 'unreadable';
  const { block } = found;
  const raw = signedTransaction(rawData, signatureBytes);
  return {
    txHash,
    raw,
    sender: keyOfHex(content.owner),
    fields: JSON.stringify({ owner: content.owner, ...content.shown }),
    // The bytes say neither energy nor its price: what they may burn for it, or their own number where they use none.
    unitLimit: content.feeLimit > 0n ? content.feeLimit : BigInt(raw.length / 2),
    unitPrice: 1n,
    expiry: { after: { height: block.height - 1, hash: block.parentHash }, until: content.expiration - 1 },
    action: sentAction(content.action),
  };
}

/** Whether bytes are the transaction with this id, and signed by its owner. */
export function isSentBy({ raw, txHash }: SignedBytes, sender: string): boolean {
  const parts = partsOf(raw);
  if (parts === null) return false;
  const digest = createHash('sha256').update(parts.rawData).digest();
  const owner = contentOf(parts.rawData)?.owner ?? null;
  return digest.toString('hex') === txHash && owner === hexOfKey(sender) && signerOf(digest, parts.signature) === owner;
}

function partsOf(raw: string): { readonly rawData: Buffer; readonly signature: Buffer } | null {
  try {
    const [rawData, signature, ...others] = fieldsOf(Buffer.from(raw, 'hex')).map(({ value }) => value);
    const areBytes = rawData instanceof Buffer && signature instanceof Buffer && others.length === 0;
    return areBytes ? { rawData, signature } : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

interface Content {
  /** In hex. */
  readonly owner: string;
  readonly action: DecodedAction;
  /** The action as JSON shows it. */
  readonly shown: Readonly<Record<string, string>>;
  /** Ms. */
  readonly expiration: number;
  readonly feeLimit: bigint;
}

function contentOf(rawData: Buffer): Content | null {
  try {
    const fields = fieldsOf(rawData);
    const numberAt = (number: number): bigint => {
      const value = fields.find((field) => field.number === number)?.value;
      return typeof value === 'bigint' ? value : 0n;
    };
    const { owner, action } = decodedContract(rawData);
    const shown = Object.fromEntries(Object.entries(action).map(([name, value]) => [name, String(value)]));
    return { owner, action, shown, expiration: Number(numberAt(EXPIRATION)), feeLimit: numberAt(FEE_LIMIT) };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** A vault signs payments of coins, calls of `transfer`, delegations of energy, and stakes alone. */
function sentAction(action: DecodedAction): SentAction {
  if (action.kind === 'coin') {
    return { kind: 'payment', token: NATIVE_COIN, recipient: keyOfHex(action.to), amount: action.amount };
  }
  if (action.kind === 'delegate' || action.kind === 'undelegate') {
    const move = action.kind === 'delegate' ? 'lend' : 'take_back';
    return { kind: 'energy', move, borrower: keyOfHex(action.to), stake: action.amount };
  }
  if (action.kind === 'stake' || action.kind === 'unstake' || action.kind === 'withdraw') {
    return { kind: 'stake', move: action.kind, amount: action.amount };
  }
  const call = action.kind === 'call' && action.value === 0n ? TRANSFER_CALL.exec(action.data)?.groups : undefined;
  if (action.kind !== 'call' || call === undefined) return { kind: 'other' };
  return {
    kind: 'payment',
    token: keyOfHex(action.contract),
    recipient: keyOfHex(`41${call['to']}`),
    amount: BigInt(`0x${call['amount']}`),
  };
}
