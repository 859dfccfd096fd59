import { ChainUnavailable, type BlockRef, type LoggedBlock, type Sighting } from '../chain.js';
import type { JsonRpc } from '../rpc/json-rpc.js';
import { receiptsIn } from './block-receipts.js';
import { mayHold } from './logs-bloom.js';
import type { LogEntry } from '../log-entry.js';
import { readList, readLog, type Receipt } from './rpc-values.js';
import { decodeTransfer, TRANSFER_TOPIC, type TokenTransfer } from './transfer-log.js';

/** Returns whether other nodes see transfers of these tokens in the block; null when there is no other node to ask. */
export type OtherNodesSee = (block: BlockRef, tokens: readonly string[]) => Promise<boolean | null>;

/** Selects transfers of one block. */
export interface TransferQuery {
  readonly block: LoggedBlock;
  /** Contracts of the listed tokens. */
  readonly tokens: readonly string[];
  /** Returns whether a recipient, in lower case, is one of our addresses. */
  readonly isOurs: (address: string) => boolean;
  readonly otherNodesSee?: OtherNodesSee | undefined;
}

/** A sighting with its log index, by which the block's order is restored. */
interface LocatedSighting {
  readonly logIndex: number;
  readonly sighting: Sighting;
}

/**
 * Reads the transfers to us in one block. Block logs give candidates; only the receipts are trusted.
 * Throws `ChainUnavailable` when the two contradict each other.
 */
export async function readBlockTransfers(
  rpc: Pick<JsonRpc, 'batch'>,
  query: TransferQuery,
): Promise<readonly Sighting[]> {
  // For the node, an empty list of contracts means every contract.
  if (query.tokens.length === 0) return [];
  const matcher = new TransferMatcher(query);
  const nominated = nominatedTransactions(await believableLogs(rpc, query), matcher);
  const receipts = await receiptsIn(rpc, query.block, [...nominated.keys()]);
  const located = receipts.flatMap((receipt) =>
    receipt.succeeded ? sightingsIn(receipt, nominated.get(receipt.txHash) ?? new Set(), matcher) : [],
  );
  return located.toSorted((a, b) => a.logIndex - b.logIndex).map(({ sighting }) => sighting);
}

class TransferMatcher {
  private readonly listed: ReadonlySet<string>;

  constructor(private readonly query: TransferQuery) {
    this.listed = new Set(query.tokens.map((token) => token.toLowerCase()));
  }

  /** Returns the transfer to us that a log reports, or null. */
  match(log: LogEntry): TokenTransfer | null {
    const transfer = decodeTransfer(log, this.listed);
    return transfer !== null && this.query.isOurs(transfer.to) ? transfer : null;
  }
}

/** Returns whether the block has any transfer of these tokens, to any recipient. */
export async function hasTransfers(
  rpc: Pick<JsonRpc, 'batch'>,
  query: Pick<TransferQuery, 'block' | 'tokens'>,
): Promise<boolean> {
  return query.tokens.length > 0 && (await logsOf(rpc, query)).length > 0;
}

/**
 * Returns the block's logs. A bloom has no false negatives, so an empty list that contradicts it is doubtful: the bloom may
 * have a false positive, which is common, or a backend of the node may not have the logs yet. Other nodes are asked, or the
 * same node again when there is no other.
 */
async function believableLogs(rpc: Pick<JsonRpc, 'batch'>, query: TransferQuery): Promise<readonly LogEntry[]> {
  const { block, tokens } = query;
  const logs = await logsOf(rpc, query);
  const isDoubtful =
    logs.length === 0 && block.logsBloom !== undefined && mayHold(block.logsBloom, tokens, TRANSFER_TOPIC);
  if (!isDoubtful) return logs;
  const seenElsewhere = await query.otherNodesSee?.(block, tokens);
  if (seenElsewhere === true) throw new ChainUnavailable(`The node hides the logs of block ${block.hash}.`);
  return seenElsewhere === false ? logs : logsOf(rpc, query);
}

async function logsOf(
  rpc: Pick<JsonRpc, 'batch'>,
  { block, tokens }: Pick<TransferQuery, 'block' | 'tokens'>,
): Promise<readonly LogEntry[]> {
  const filter = { blockHash: block.hash, address: tokens, topics: [TRANSFER_TOPIC] };
  // The count is null for a block that the node does not have. Some nodes return no logs for such a block instead of failing.
  const [count, answer] = await rpc.batch([
    { method: 'eth_getBlockTransactionCountByHash', params: [block.hash] },
    { method: 'eth_getLogs', params: [filter] },
  ]);
  if (count === null || count === undefined) throw new ChainUnavailable(`The node has no block ${block.hash}.`);
  return logsIn(answer, block);
}

function logsIn(answer: unknown, block: BlockRef): readonly LogEntry[] {
  const logs = readList(answer, 'list of logs').map(readLog);
  if (logs.some((log) => log.blockHash !== block.hash)) {
    throw new ChainUnavailable(`The node answered the logs of block ${block.hash} with those of another.`);
  }
  const present = new Set(logs.filter((log) => log.removed !== true).map(({ logIndex }) => logIndex));
  // A canonical block has all its logs: a log that is only listed as removed could hide a payment.
  if (logs.some(({ logIndex }) => !present.has(logIndex))) {
    throw new ChainUnavailable(`The node marks logs of block ${block.hash} as removed, but serves the block.`);
  }
  return logs;
}

/** Returns the transactions that pay us by the block's logs, each with the facts that its receipt must confirm. */
function nominatedTransactions(logs: readonly LogEntry[], matcher: TransferMatcher): Map<string, Set<string>> {
  const nominated = new Map<string, Set<string>>();
  for (const log of logs) {
    const transfer = matcher.match(log);
    if (transfer === null) continue;
    const facts = nominated.get(log.txHash) ?? new Set();
    nominated.set(log.txHash, facts.add(factOf(log, transfer)));
  }
  return nominated;
}

function sightingsIn(receipt: Receipt, facts: ReadonlySet<string>, matcher: TransferMatcher): LocatedSighting[] {
  const located: LocatedSighting[] = [];
  const confirmed = new Set<string>();
  receipt.logs.forEach((log, position) => {
    const transfer = matcher.match(log);
    if (transfer === null) return;
    confirmed.add(factOf(log, transfer));
    located.push({ logIndex: log.logIndex, sighting: { txHash: receipt.txHash, position, ...transfer } });
  });
  if (confirmed.size !== facts.size || [...facts].some((fact) => !confirmed.has(fact))) {
    throw new ChainUnavailable(`The logs of the block and the receipt of ${receipt.txHash} contradict each other.`);
  }
  return located;
}

function factOf(log: LogEntry, { token, from, to, amount }: TokenTransfer): string {
  return [log.logIndex, token, from, to, amount].join(' ');
}
