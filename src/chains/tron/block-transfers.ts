import { NATIVE_COIN } from '../../domain/network.js';
import { type BlockHeader, ChainUnavailable, NATIVE_POSITION, type Sighting } from '../chain.js';
import { isRecord } from '../rpc/json-rpc.js';
import { keyOfHash } from './tron-address.js';
import { decodeTransfer, type ListedTokens } from './transfer-log.js';

const ID = /^[0-9a-f]{64}$/;
const ADDRESS = /^41[0-9a-f]{40}$/;
const VERSION_DIGITS = 2;
const SUCCESS = 'SUCCESS';
const FAILED = 'FAILED';

/** A block with its transactions, and the infos that the node has about them. */
export interface ReadBlock {
  readonly header: BlockHeader;
  readonly transactions: readonly unknown[];
  readonly infos: readonly unknown[];
}

/** Selects transfers. */
export interface TransferQuery {
  readonly tokens: ListedTokens;
  /** Whether transactions in the coin are among them. */
  readonly native: boolean;
  /** Returns whether a recipient, by its 20 bytes in hex, is one of our addresses. */
  readonly isOurs: (address: string) => boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the transfers to us in one block, in its order. The block says what was ordered, and the infos what came of it, so
 * each transaction must have its info, of this very block. Throws `ChainUnavailable` when the two contradict each other.
 *
 * - TRX counts by its `TransferContract` with `contractRet` SUCCESS and no `result` FAILED: such an info has no
 *   `receipt.result`. A call may send TRX (`call_value`) to its contract alone, and none of our addresses is a contract; what
 *   contracts pass on is in no list, and balances show it. Internal transactions are not read: not every node saves them.
 * - Tokens count by their log, whatever the transaction called, with `receipt.result` SUCCESS. Return data is not read:
 *   USDT returns false on success.
 * - `TransferAssetContract` moves TRC-10 tokens, of which none is listed. No other contract pays an address of ours.
 *
 * The fields are checked by hand, and only those that are read: a block has some 380 transactions.
 */
export function sightingsIn(block: ReadBlock, query: TransferQuery): readonly Sighting[] {
  const { header, transactions } = block;
  const infoOf = infosById(block);
  if (infoOf.size !== transactions.length) {
    throw contradiction(header, `${transactions.length} transactions and ${infoOf.size} infos`);
  }
  return transactions.flatMap((answer) => {
    const transaction = recordOf(answer, 'transaction');
    const txHash = idOf(transaction['txID']);
    const info = infoOf.get(txHash);
    // Deleted, so that a repeated transaction has none.
    if (info === undefined || !infoOf.delete(txHash)) throw contradiction(header, `no info of ${txHash}`);
    if (info['result'] === FAILED) return [];
    const ofCoin = query.native ? coinTransfer(transaction, txHash, query) : null;
    const ofTokens = tokenTransfers(info, txHash, query);
    // A log that counts is only in the info: the block must agree that the transaction succeeded.
    if (ofTokens.length > 0 && contractRetOf(transaction) !== SUCCESS) {
      throw contradiction(header, `two results of ${txHash}`);
    }
    return ofCoin === null ? ofTokens : [ofCoin, ...ofTokens];
  });
}

function infosById({ header, infos }: ReadBlock): Map<string, Fields> {
  const { height } = header;
  const timeMs = header.time.getTime();
  const byId = new Map<string, Fields>();
  for (const answer of infos) {
    const info = recordOf(answer, 'info');
    // Two blocks of a fork may have the same transactions, with other outcomes.
    if (info['blockNumber'] !== height || info['blockTimeStamp'] !== timeMs) {
      throw contradiction(header, 'an info of another block');
    }
    byId.set(idOf(info['id']), info);
  }
  return byId;
}

function coinTransfer(transaction: Fields, txHash: string, { isOurs }: TransferQuery): Sighting | null {
  const contract = contractOf(transaction);
  if (contract['type'] !== 'TransferContract' || contractRetOf(transaction) !== SUCCESS) return null;
  const { to_address: to, owner_address: from, amount } = valueOf(contract);
  const recipient = hashIn(to);
  if (recipient === null) throw malformed('recipient');
  if (!isOurs(recipient)) return null;
  const sender = hashIn(from);
  if (sender === null) throw malformed('sender');
  // Above 2^53 a number of JSON is not exact.
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount <= 0) throw malformed('amount');
  const coin = { token: NATIVE_COIN, from: keyOfHash(sender), to: keyOfHash(recipient), amount: BigInt(amount) };
  return { txHash, position: NATIVE_POSITION, ...coin };
}

function tokenTransfers(info: Fields, txHash: string, { tokens, isOurs }: TransferQuery): Sighting[] {
  const logs = info['log'];
  if (logs === undefined) return [];
  if (!Array.isArray(logs)) throw malformed('list of logs');
  const receipt = info['receipt'];
  if (!isRecord(receipt) || receipt['result'] !== SUCCESS) return [];
  const found: Sighting[] = [];
  for (const [position, log] of logs.entries()) {
    const transfer = decodeTransfer(log, tokens, isOurs);
    if (transfer !== null) found.push({ txHash, position, ...transfer });
  }
  return found;
}

/** A transaction has exactly one contract: it names what is ordered. */
function contractOf(transaction: Fields): Fields {
  const contracts = recordOf(transaction['raw_data'], 'transaction')['contract'];
  if (!Array.isArray(contracts) || contracts.length !== 1) throw malformed('transaction');
  return recordOf(contracts[0], 'contract');
}

const valueOf = (contract: Fields): Fields =>
  recordOf(recordOf(contract['parameter'], 'contract')['value'], 'contract');

function contractRetOf(transaction: Fields): unknown {
  const results = transaction['ret'];
  if (!Array.isArray(results) || results.length !== 1) throw malformed('result');
  return recordOf(results[0], 'result')['contractRet'];
}

/** Returns the 20 bytes of an address in hex, or null when it is none. */
function hashIn(address: unknown): string | null {
  return typeof address === 'string' && ADDRESS.test(address) ? address.slice(VERSION_DIGITS) : null;
}

function idOf(value: unknown): string {
  if (typeof value !== 'string' || !ID.test(value)) throw malformed('transaction id');
  return value;
}

function recordOf(value: unknown, what: string): Fields {
  if (!isRecord(value)) throw malformed(what);
  return value;
}

const malformed = (what: string): ChainUnavailable =>
  new ChainUnavailable(`The node returned a malformed ${what} in a block.`);

const contradiction = ({ hash }: BlockHeader, what: string): ChainUnavailable =>
  new ChainUnavailable(`The node's block ${hash} and its infos contradict each other: ${what}.`);
