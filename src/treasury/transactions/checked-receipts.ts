import { type BlockHeader, type ChainClient, ChainUnavailable } from '../../chains/chain.js';
import type { NodeSession } from '../../chains/nodes/chain-nodes.js';
import type { TransactionReceipt } from '../../chains/outgoing.js';
import type { OpenTransaction } from './open-transaction.js';
import { isProvenByLogs, type SignedCall, transferOf } from './proven-payment.js';
import { evmKey } from '../../domain/evm-address.js';

/** A transaction to check, with the signed call. */
export type PendingTransaction = OpenTransaction & SignedCall;

/** Receipts of final blocks, confirmed or disputed. */
export interface CheckedReceipts {
  /** The receipt of the mined attempt, by transaction. A payment that paid no recipient counts as not succeeded. */
  readonly mined: ReadonlyMap<OpenTransaction, TransactionReceipt>;
  /** Ended by one node alone: the others contradict it, or a required confirmation is missing. */
  readonly disputed: ReadonlySet<OpenTransaction>;
}

/**
 * Drops receipts that are not of the chain's own blocks, and separates those that other nodes, or the node itself,
 * contradict.
 */
export async function crossCheckReceipts(
  session: NodeSession,
  found: readonly (readonly [PendingTransaction, TransactionReceipt])[],
): Promise<CheckedReceipts> {
  const mined = new Map<OpenTransaction, TransactionReceipt>();
  const disputed = new Set<OpenTransaction>();
  const headers = await headersOf(
    session.client,
    found.map(([, receipt]) => receipt),
  );
  const opinions = await opinionsOn(
    session,
    found.map(([, receipt]) => receipt),
  );
  for (const [transaction, receipt] of found) {
    const header = headers.get(receipt.height);
    if (header?.hash !== receipt.blockHash) continue;
    const others = opinions.get(receipt.txHash) ?? [];
    const isTrusted =
      isAgreedUpon(transaction, receipt, others, session.isAlone) &&
      !(await mayHidePayment(session, transaction, receipt, header));
    if (isTrusted)
      mined.set(transaction, { ...receipt, succeeded: receipt.succeeded && isProvenByLogs(transaction, receipt) });
    else disputed.add(transaction);
  }
  return { mined, disputed };
}

/** Returns the node's blocks at the heights of receipts. Each is read once, since many transactions share a block. */
async function headersOf(
  client: ChainClient,
  receipts: readonly TransactionReceipt[],
): Promise<ReadonlyMap<number, BlockHeader | null>> {
  const heights = [...new Set(receipts.map(({ height }) => height))];
  const headers = await client.headersAt(heights);
  return new Map(heights.map((height, place) => [height, headers[place] ?? null]));
}

/** The answer of another node about a transaction: its receipt, or that its block does not contain it. */
type Opinion = TransactionReceipt | 'not there';

/**
 * Returns the answers of the other nodes by transaction hash. A node that has the receipt's block without the
 * transaction answers `not there`; a node without that block has no say.
 */
async function opinionsOn(
  session: NodeSession,
  found: readonly TransactionReceipt[],
): Promise<ReadonlyMap<string, readonly Opinion[]>> {
  const answers =
    session.isAlone || found.length === 0
      ? []
      : await session.askOthers(async (client) => {
          const receipts = await client.outgoing.receiptsOf(found.map(({ txHash }) => txHash));
          const headers = await headersOf(client, found);
          return found.flatMap(({ txHash, blockHash, height }, place): [string, Opinion][] => {
            const receipt = receipts[place] ?? null;
            if (receipt !== null) return [[txHash, receipt]];
            return headers.get(height)?.hash === blockHash ? [[txHash, 'not there']] : [];
          });
        });
  const said = Map.groupBy(
    answers.flatMap(({ answer }) => answer),
    ([txHash]) => txHash,
  );
  return new Map([...said].map(([txHash, pairs]) => [txHash, pairs.map(([, opinion]) => opinion)]));
}

/**
 * Returns whether the nodes agree. No node that has the block may contradict: otherwise a single node could report
 * payments as done that it never relayed. The amount of a failed payment is given back, and the logs of a sweep or a
 * loss decide balances. So where there are other nodes, one of them must confirm these.
 */
function isAgreedUpon(
  transaction: PendingTransaction,
  receipt: TransactionReceipt,
  others: readonly Opinion[],
  isAlone: boolean,
): boolean {
  const isReadByLogs = transaction.purpose === 'sweep' || transaction.purpose === 'loss';
  const hasPaid = (opinion: TransactionReceipt): boolean => opinion.succeeded && isProvenByLogs(transaction, opinion);
  const isSame = (opinion: Opinion): boolean =>
    opinion !== 'not there' &&
    opinion.succeeded === receipt.succeeded &&
    hasPaid(opinion) === hasPaid(receipt) &&
    opinion.blockHash === receipt.blockHash &&
    (!isReadByLogs || logsKey(opinion) === logsKey(receipt));
  const isKnownEnough = isAlone || others.length > 0 || (hasPaid(receipt) && !isReadByLogs);
  return isKnownEnough && others.every(isSame);
}

/**
 * Returns whether the block's logs may contain the payment that the receipt does not show: the node omitted logs, and
 * the payee was paid.
 */
async function mayHidePayment(
  { client }: NodeSession,
  transaction: PendingTransaction,
  receipt: TransactionReceipt,
  block: BlockHeader,
): Promise<boolean> {
  const transfer = transferOf(transaction);
  if (transfer === null || !receipt.succeeded || isProvenByLogs(transaction, receipt)) return false;
  const isPayee = (address: string): boolean => evmKey(address) === transfer.recipient;
  try {
    const paid = await client.transfersIn(block, [transfer.token], isPayee);
    return paid.some(({ txHash }) => txHash === receipt.txHash);
  } catch (error) {
    // For example logs and receipts that contradict each other. The other transactions need not wait for it.
    if (error instanceof ChainUnavailable) return true;
    throw error;
  }
}

/** Returns the logs of a receipt as a comparable text. */
const logsKey = ({ logs }: TransactionReceipt): string =>
  evmKey(JSON.stringify(logs.map(({ address, topics, data }) => [address, topics, data])));
