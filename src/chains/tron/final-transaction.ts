import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { NATIVE_COIN } from '../../domain/network.js';
import { type BlockHeader, ChainUnavailable } from '../chain.js';
import type { BalanceChange, FinalTransaction } from '../expiring.js';
import type { infoShape, transactionShape } from './answer-shapes.js';
import { type DecodedAction, type DecodedContract, decodedContract } from './decoded-action.js';
import { keyOfHex } from './tron-address.js';
import { decodeTransfer, listedTokens } from './transfer-log.js';

/** A transaction in its final block, and what came of it. */
export interface FoundTransaction {
  readonly transaction: z.infer<typeof transactionShape>;
  readonly info: z.infer<typeof infoShape>;
  readonly block: BlockHeader;
}

const SUCCESS = 'SUCCESS';
const FAILED = 'FAILED';
/** `transfer(address,uint256)` with its two words. */
const TRANSFER_CALL = /^a9059cbb0{24}[0-9a-f]{104}$/;

/**
 * Returns what a transaction changed. Its content comes from its own bytes, which its id proves; coins count by the
 * transaction, tokens by their logs, and return data by nothing: USDT returns false on success. A call that was to transfer a
 * token and wrote no log at all has failed, whatever the chain says of it. One that wrote others has moved something, perhaps in
 * another contract: it has not failed, and its changes say what of the payment they prove.
 * @throws ChainUnavailable for an outcome that the block and the info contradict each other about
 */
export function finalTransaction(found: FoundTransaction, tokens: readonly string[]): FinalTransaction {
  const { transaction, info, block } = found;
  const { owner, action } = contentOf(found);
  const fee = BigInt(info.fee);
  const isExecuted = isExecutedIn(found, action);
  const listed = listedTokens(tokens);
  const transfers = isExecuted ? info.log.flatMap((log) => decodeTransfer(log, listed, () => true) ?? []) : [];
  const changes: readonly BalanceChange[] = [
    { owner: keyOfHex(owner), token: NATIVE_COIN, units: -fee },
    ...(isExecuted ? coinChanges(owner, action) : []),
    ...transfers.flatMap(({ from, to, token, amount }) => [
      { owner: from, token, units: -amount },
      { owner: to, token, units: amount },
    ]),
  ];
  return {
    txHash: transaction.txID,
    blockHash: block.hash,
    height: block.height,
    succeeded: isExecuted && (info.log.length > 0 || !isTransfer(action, tokens)),
    fee,
    changes: changes.filter(({ units }) => units !== 0n),
  };
}

function contentOf({ transaction, info, block }: FoundTransaction): DecodedContract {
  const rawData = Buffer.from(transaction.raw_data_hex, 'hex');
  const id = createHash('sha256').update(rawData).digest('hex');
  const isLinked = info.blockNumber === block.height && info.blockTimeStamp === block.time.getTime();
  if (id !== transaction.txID || info.id !== id || !isLinked)
    throw contradiction(transaction.txID, 'its place or bytes');
  try {
    return decodedContract(rawData);
  } catch (cause) {
    throw new ChainUnavailable(`The node returned unreadable bytes of ${id}.`, { cause });
  }
}

/** The block and the info must agree. Only a call has a result of its own. */
function isExecutedIn({ transaction, info }: FoundTransaction, action: DecodedAction): boolean {
  const { contractRet } = transaction.ret[0];
  const results = [
    contractRet === SUCCESS,
    info.result !== FAILED,
    ...(action.kind === 'call' ? [info.receipt.result === SUCCESS] : []),
  ];
  if (results.some((result) => result !== results[0])) throw contradiction(transaction.txID, 'its result');
  return results[0] === true;
}

function coinChanges(owner: string, action: DecodedAction): readonly BalanceChange[] {
  if (action.kind !== 'coin' && action.kind !== 'call') return [];
  const [to, units] = action.kind === 'coin' ? [action.to, action.amount] : [action.contract, action.value];
  return [
    { owner: keyOfHex(owner), token: NATIVE_COIN, units: -units },
    { owner: keyOfHex(to), token: NATIVE_COIN, units },
  ];
}

/** Whether a call was to transfer a token of these. */
const isTransfer = (action: DecodedAction, tokens: readonly string[]): boolean =>
  action.kind === 'call' && TRANSFER_CALL.test(action.data) && tokens.includes(keyOfHex(action.contract));

const contradiction = (txHash: string, what: string): ChainUnavailable =>
  new ChainUnavailable(`The node's block and info of ${txHash} contradict each other: ${what}.`);
