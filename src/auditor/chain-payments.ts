import type { TransactionReceipt } from '../chains/outgoing.js';
import type { Database } from '../platform/database/database.js';
import { isShown } from '../treasury/shown-payment.js';
import type { TransactionPurpose } from '../treasury/standing-order.js';
import type { AuditedChain } from './audited-chain.js';
import type { Finding } from './check.js';

const TRANSACTIONS_AT_ONCE = 50;
/** Nodes keep at least so many blocks' transactions in their index; of older ones they may not know any more. */
const INDEXED_BLOCKS = 100_000;

interface EndedRow {
  readonly id: string;
  readonly nonce: string;
  readonly status: 'succeeded' | 'reverted';
  readonly mined_hash: string;
  readonly mined_height: string;
  readonly fee_paid: string;
  readonly hashes: readonly string[];
  readonly purpose: TransactionPurpose;
  readonly sender: string;
  readonly destination: string;
  readonly value: string;
  readonly data: string;
}

/** The first transaction that the chain tells otherwise of. */
export async function findPaymentBreach(
  database: Database,
  { chainRef, client, final }: AuditedChain,
): Promise<Finding | null> {
  let above = '-1';
  for (;;) {
    const ended = await database.query<EndedRow>(
      `select sent.id, sent.nonce, sent.status, sent.mined_hash, sent.mined_height, sent.fee_paid,
              sent.purpose, sent.sender, sent.destination, sent.value, sent.data,
              array(select tx_hash from transaction_attempt where transaction_id = sent.id order by number) as hashes
         from hot_wallet wallet
         join chain_transaction sent on sent.chain_ref = wallet.chain_ref and sent.sender = wallet.address_key
        where wallet.chain_ref = $1 and sent.mined_height <= $2 and sent.nonce > $3 order by sent.nonce limit $4`,
      [chainRef, final.height, above, TRANSACTIONS_AT_ONCE],
    );
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
  { status, mined_hash: minedHash, mined_height: minedHeight, fee_paid: feePaid, hashes, ...sent }: EndedRow,
  receipts: ReadonlyMap<string, TransactionReceipt>,
  finalHeight: number,
): string | null {
  const receipt = receipts.get(minedHash);
  if (receipt === undefined && Number(minedHeight) < finalHeight - INDEXED_BLOCKS) return null;
  if (receipt === undefined || receipt.height > finalHeight)
    return `${status} as ${minedHash}, which the chain does not hold`;
  const hasPaid = receipt.succeeded && isShown({ ...sent, to: sent.destination, value: BigInt(sent.value) }, receipt);
  if (hasPaid !== (status === 'succeeded')) return `${status} as ${minedHash}, and the chain says otherwise`;
  const paid = receipt.gasUsed * receipt.effectiveGasPrice;
  if (paid !== BigInt(feePaid)) return `paid ${feePaid} for gas, and the chain took ${paid}`;
  const other = hashes.find((hash) => hash !== minedHash && receipts.has(hash));
  return other === undefined ? null : `was mined as ${minedHash} and as ${other}`;
}

/** A hot wallet of which the chain counts more than was given out, so that somebody else uses its key, or less than ended. */
export async function findNonceBreach(
  database: Database,
  { chainRef, client, final }: AuditedChain,
): Promise<Finding | null> {
  const [wallet] = await database.query<{ address_key: string; next_nonce: string; ended: string }>(
    `select address_key, next_nonce, (select count(*) from chain_transaction sent
                                       where sent.chain_ref = wallet.chain_ref and sent.mined_height <= $2) as ended
       from hot_wallet wallet where chain_ref = $1`,
    [chainRef, final.height],
  );
  if (wallet === undefined) return null;
  const counted = await client.outgoing.nonceAt(final, wallet.address_key);
  // What lies between is on its way: final there, and not written down here yet.
  if (counted >= Number(wallet.ended) && counted <= Number(wallet.next_nonce)) return null;
  const says = `has sent ${counted} transactions by the chain; ${wallet.ended} ended and ${wallet.next_nonce} were signed`;
  return { row: `hot_wallet ${chainRef}`, says };
}
