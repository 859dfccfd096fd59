import { createHash } from 'node:crypto';
import { z } from 'zod';
import { NATIVE_COIN } from '../../domain/network.js';
import type { SentAction, SentBytes } from '../expiring-sent.js';
import type { SignedBytes } from '../expiring-transaction.js';
import { parsed } from './answer-shapes.js';
import type { DecodedAction } from './decoded-action.js';
import { foundTransactions } from './found-transactions.js';
import { signerOf } from './signed-transaction-check.js';
import { signedTransaction } from './transaction-bytes.js';
import { contentOf } from './signed-content.js';
import { contradictionInTransaction } from './signed-order.js';
import { keyOfHex } from './tron-address.js';
import type { TronHttp } from './tron-http.js';

/** `transfer(address,uint256)` with its two words. */
const TRANSFER_CALL = /^a9059cbb0{24}(?<to>[0-9a-f]{40})(?<amount>[0-9a-f]{64})$/;

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
  const sender = keyOfHex(content.owner);
  return {
    txHash,
    raw,
    sender,
    fields: JSON.stringify({ owner: content.owner, ...content.shown }),
    // The bytes say neither energy nor its price: what they may burn for it, or their own number where they use none.
    unitLimit: content.feeLimit > 0n ? content.feeLimit : BigInt(raw.length / 2),
    unitPrice: 1n,
    expiry: { after: { height: block.height - 1, hash: block.parentHash }, until: content.expiration - 1 },
    action: asOrdered({ raw, txHash, sender }, sentAction(content.action)),
  };
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

/**
 * Moves of a stake count only in the form in which a vault signs them. Another form, such as one with a memo, is not ours: as
 * an order it would contradict its record in every audit.
 */
function asOrdered(signed: SignedBytes & { readonly sender: string }, action: SentAction): SentAction {
  if (action.kind !== 'stake' && action.kind !== 'energy') return action;
  const none = { payment: null, energy: null, stake: null, loss: null };
  const orders =
    action.kind === 'stake'
      ? { ...none, stake: { move: action.move, amount: String(action.amount) } }
      : { ...none, energy: { move: action.move, borrower: action.borrower, stake: String(action.stake) } };
  return contradictionInTransaction(signed, orders) === null ? action : { kind: 'other' };
}
