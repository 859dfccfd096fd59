import type { TransactionReceipt } from '../../chains/outgoing.js';
import type { Database } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { isProvenByLogs } from '../../treasury/transactions/proven-payment.js';
import type { AuditedChain } from '../audited-chain.js';
import type { Finding } from '../check.js';
import { findWalletAddress } from './chain-hot-wallet.sql.js';
import { countNonces, nextEnded, nextGivenUp } from './chain-payments.sql.js';

const TRANSACTIONS_AT_ONCE = 50;
/** Nodes index the transactions of at least this many blocks; they may have no receipts of older ones. */
const INDEXED_BLOCKS = 100_000;

type EndedRow = RowOf<typeof nextEnded>;

/** Returns the first transaction that the chain contradicts. */
export async function findPaymentBreach(database: Database, chain: AuditedChain): Promise<Finding | null> {
  return (await endedBreach(database, chain)) ?? (await givenUpBreach(database, chain));
}

async function endedBreach(database: Database, { chainRef, client, final }: AuditedChain): Promise<Finding | null> {
  let above = '-1';
  for (;;) {
    const ended = await database.rows(nextEnded({ chainRef, upTo: final.height, above, limit: TRANSACTIONS_AT_ONCE }));
    const receipts = await client.outgoing.receiptsOf(ended.flatMap(({ hashes }) => hashes));
    const byHash = new Map(
      receipts.flatMap((receipt) => (receipt === null ? [] : [[receipt.txHash, receipt] as const])),
    );
    for (const transaction of ended) {
      const says = contradiction(transaction, byHash, final.height);
      if (says !== null) return { row: `chain_transaction ${transaction.id}`, says };
    }
    if (ended.length < TRANSACTIONS_AT_ONCE) return null;
    above = ended.at(-1)?.nonce ?? above;
  }
}

function contradiction(
  { status, minedHash, minedHeight, feePaid, hashes, ...sent }: EndedRow,
  receipts: ReadonlyMap<string, TransactionReceipt>,
  finalHeight: number,
): string | null {
  const receipt = receipts.get(minedHash);
  if (receipt === undefined && Number(minedHeight) < finalHeight - INDEXED_BLOCKS) return null;
  if (receipt === undefined || receipt.height > finalHeight)
    return `${status} as ${minedHash}, which is not on the chain`;
  const hasPaid =
    receipt.succeeded && isProvenByLogs({ ...sent, to: sent.destination, value: BigInt(sent.value) }, receipt);
  if (hasPaid !== (status === 'succeeded')) return `${status} as ${minedHash}, but the chain shows the opposite`;
  const paid = receipt.gasUsed * receipt.effectiveGasPrice;
  if (paid !== BigInt(feePaid)) return `paid ${feePaid} for gas, and the chain took ${paid}`;
  const other = hashes.find((hash) => hash !== minedHash && receipts.has(hash));
  return other === undefined ? null : `was mined as ${minedHash} and as ${other}`;
}

/** Returns the first abandoned or superseded transaction that was mined, although its order was freed or refunded. */
async function givenUpBreach(database: Database, { chainRef, client, final }: AuditedChain): Promise<Finding | null> {
  let above = '';
  for (;;) {
    const dead = await database.rows(nextGivenUp({ chainRef, above, limit: TRANSACTIONS_AT_ONCE }));
    const receipts = await client.outgoing.receiptsOf(dead.flatMap(({ hashes }) => hashes));
    const mined = new Set(
      receipts.flatMap((receipt) => (receipt === null || receipt.height > final.height ? [] : [receipt.txHash])),
    );
    for (const { id, status, hashes } of dead) {
      const hash = hashes.find((each) => mined.has(each));
      if (hash !== undefined) {
        return { row: `chain_transaction ${id}`, says: `is ${status}, but is on the chain as ${hash}` };
      }
    }
    if (dead.length < TRANSACTIONS_AT_ONCE) return null;
    above = dead.at(-1)?.id ?? above;
  }
}

/**
 * Returns a hot wallet for which the chain counts more transactions than we assigned nonces (somebody else uses its key),
 * fewer than have finished, or nonces without an active transaction.
 */
export async function findNonceBreach(
  database: Database,
  { chainRef, client, final }: AuditedChain,
): Promise<Finding | null> {
  const [wallet] = await database.rows(findWalletAddress(chainRef));
  if (wallet === undefined) return null;
  // The chain first: transactions that it counts at a final block were signed before, so their rows exist.
  const counted = await client.outgoing.nonceAt(final, wallet.addressKey);
  const [known] = await database.rows(countNonces(chainRef, final.height, counted));
  if (known === undefined) return null;
  const { ended, nextNonce: next } = known;
  const unexplained = Math.max(0, counted - Number(known.first)) - Number(known.standing);
  // Transactions in between are pending, or final on the chain and not recorded yet.
  if (counted >= Number(ended) && counted <= Number(next) && unexplained <= 0) return null;
  const row = `hot_wallet ${chainRef}`;
  const says = `has sent ${counted} transactions by the chain; ${ended} ended and ${next} were signed`;
  const isGivenUp = unexplained > 0 && counted <= Number(next);
  return { row, says: isGivenUp ? `${says}, and ${unexplained} of these were abandoned or superseded` : says };
}
