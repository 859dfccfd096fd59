import type { BlockHeader } from '../../chains/chain.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { Database } from '../../platform/database/database.js';
import type { AuditedChain } from '../audited-chain.js';
import type { Finding } from '../check.js';
import { bookBalance, findWalletAddress } from './chain-hot-wallet.sql.js';

/** A hot wallet's balance of a token at a block, by the books. */
interface BooksAt {
  /** The number of its finished transactions, mined up to that block. */
  readonly ended: number;
  readonly units: bigint;
  /** Top-ups that a later comparison found: they may have arrived before or after the block. */
  readonly around: bigint;
  /** The block of the last comparison of wallet and books; null when there was none. */
  readonly comparedTo: number | null;
}

/**
 * Returns the first token whose hot wallet balance does not match the books: at the newest final block, or, while
 * transactions up to it are not recorded yet, at the block of the last comparison. Calls `unasked` with a sentence for each
 * token that could not be compared.
 */
export async function findHotWalletBreach(
  database: Database,
  chain: AuditedChain,
  unasked: (what: string) => void,
): Promise<Finding | null> {
  const [wallet] = await database.rows(findWalletAddress(chain.chainRef));
  if (wallet === undefined) return null;
  for (const token of [NATIVE_COIN, ...chain.tokens]) {
    const finding = await breachOf(database, chain, { address: wallet.addressKey, token }, unasked);
    if (finding !== null) return finding;
  }
  return null;
}

interface Place {
  readonly address: string;
  readonly token: string;
}

async function breachOf(
  database: Database,
  chain: AuditedChain,
  place: Place,
  unasked: (what: string) => void,
): Promise<Finding | null> {
  const { chainRef, client, final } = chain;
  const says = (held: bigint, books: BooksAt, { height }: BlockHeader): Finding => ({
    row: `hot_wallet ${chainRef}`,
    says: `holds ${held} of ${place.token} at block ${height}, and the books say ${books.units}`,
  });
  // The chain first, so that rows that are written meanwhile cannot be missing on it.
  const { units: held, nonce } = await holdingAt(chain, place, final);
  const books = await booksAt(database, chain, place, final.height);
  const { comparedTo } = books;
  if (books.ended === nonce) {
    if (held < books.units) return says(held, books, final);
    if (held <= books.units + books.around) return null;
    if (comparedTo !== null && comparedTo >= final.height) return says(held, books, final);
    unasked(`${held - books.units} of ${place.token} arrived in the hot wallet and are not booked yet.`);
    return null;
  }
  const earlier = comparedTo === null ? null : await client.headerAt(comparedTo);
  if (earlier === null) {
    unasked(
      `${nonce - books.ended} transactions of the hot wallet are not recorded as finished: ${place.token} is not compared.`,
    );
    return null;
  }
  const then = await booksAt(database, chain, place, earlier.height);
  const heldThen = await holdingAt(chain, place, earlier);
  return heldThen.units === then.units ? null : says(heldThen.units, then, earlier);
}

async function holdingAt(
  { client }: AuditedChain,
  place: Place,
  block: BlockHeader,
): Promise<{ readonly units: bigint; readonly nonce: number }> {
  const [holding] = await client.outgoing.holdingsAt(block, [place]);
  if (holding === undefined) throw new Error('The node returned no balance.');
  return holding;
}

async function booksAt(
  database: Database,
  { chainRef }: AuditedChain,
  { token }: Place,
  height: number,
): Promise<BooksAt> {
  const [row] = await database.rows(bookBalance(chainRef, token, height));
  if (row === undefined) throw new Error('An aggregate has one row.');
  const comparedTo = row.comparedTo === null ? null : Number(row.comparedTo);
  return { ended: Number(row.ended), units: BigInt(row.units), around: BigInt(row.around), comparedTo };
}
