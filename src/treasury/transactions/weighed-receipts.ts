import { type BlockHeader, type ChainClient, ChainUnavailable } from '../../chains/chain.js';
import type { NodeSession } from '../../chains/nodes/chain-nodes.js';
import type { TransactionReceipt } from '../../chains/outgoing.js';
import type { OpenTransaction } from './open-transaction.js';
import { isShown, type SignedCall, transferOf } from './shown-payment.js';

/** One that is looked at, with what was signed. */
export type SentTransaction = OpenTransaction & SignedCall;

/** Receipts of final blocks, by what they are worth. */
export interface Weighed {
  /** By transaction, the receipt of whichever attempt was mined. One that paid nobody has not succeeded there. */
  readonly mined: ReadonlyMap<OpenTransaction, TransactionReceipt>;
  /** Ended by the word of one node, of which the others say otherwise, or which must be confirmed and is not. */
  readonly disputed: ReadonlySet<OpenTransaction>;
}

/** Leaves out what is not of the chain's own blocks, and sets apart what other nodes, or the node itself, contradict. */
export async function weighed(
  session: NodeSession,
  found: readonly (readonly [SentTransaction, TransactionReceipt])[],
): Promise<Weighed> {
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
      mined.set(transaction, { ...receipt, succeeded: receipt.succeeded && isShown(transaction, receipt) });
    else disputed.add(transaction);
  }
  return { mined, disputed };
}

/** The node's blocks at the heights of receipts: each is read once, since many transactions share a block. */
async function headersOf(
  client: ChainClient,
  receipts: readonly TransactionReceipt[],
): Promise<ReadonlyMap<number, BlockHeader | null>> {
  const heights = [...new Set(receipts.map(({ height }) => height))];
  const headers = await client.headersAt(heights);
  return new Map(heights.map((height, place) => [height, headers[place] ?? null]));
}

/** What another node says of a transaction: its receipt, or that the block holds none of it. */
type Opinion = TransactionReceipt | 'not there';

/**
 * By hash, what the other nodes say of transactions. One that holds the very block of a receipt and knows no such
 * transaction says that it is not there; one that lacks the block cannot know.
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
 * Nobody who holds the block may say otherwise: a single node could else have payments called done that it kept to itself.
 * What failed gives money back, and the logs of a sweep or a loss say what lies where from then on: where there are other
 * nodes, one of them must have confirmed that.
 */
function isAgreedUpon(
  transaction: SentTransaction,
  receipt: TransactionReceipt,
  others: readonly Opinion[],
  isAlone: boolean,
): boolean {
  const isReadByLogs = transaction.purpose === 'sweep' || transaction.purpose === 'loss';
  const hasPaid = (opinion: TransactionReceipt): boolean => opinion.succeeded && isShown(transaction, opinion);
  const isSame = (opinion: Opinion): boolean =>
    opinion !== 'not there' &&
    opinion.succeeded === receipt.succeeded &&
    hasPaid(opinion) === hasPaid(receipt) &&
    opinion.blockHash === receipt.blockHash &&
    (!isReadByLogs || logsKey(opinion) === logsKey(receipt));
  const isKnownEnough = isAlone || others.length > 0 || (hasPaid(receipt) && !isReadByLogs);
  return isKnownEnough && others.every(isSame);
}

/** Whether the block's logs may tell of the payment that the receipt does not show: the node lost logs, and the payee was paid. */
async function mayHidePayment(
  { client }: NodeSession,
  transaction: SentTransaction,
  receipt: TransactionReceipt,
  block: BlockHeader,
): Promise<boolean> {
  const transfer = transferOf(transaction);
  if (transfer === null || !receipt.succeeded || isShown(transaction, receipt)) return false;
  const isPayee = (address: string): boolean => address.toLowerCase() === transfer.recipient;
  try {
    const paid = await client.transfersIn(block, [transfer.token], isPayee);
    return paid.some(({ txHash }) => txHash === receipt.txHash);
  } catch (error) {
    // Logs and receipts that contradict each other, among others. The other transactions need not wait for it.
    if (error instanceof ChainUnavailable) return true;
    throw error;
  }
}

/** What the logs of a receipt say, to be compared: who wrote each, and what. */
const logsKey = ({ logs }: TransactionReceipt): string =>
  JSON.stringify(logs.map(({ address, topics, data }) => [address, topics, data])).toLowerCase();
