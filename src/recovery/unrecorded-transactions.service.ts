import { Injectable } from '@nestjs/common';
import { ChainUnavailable } from '../chains/chain.js';
import { NODE_PATIENCE_MS } from '../treasury/node-patience.js';
import { findFinalBlock } from '../treasury/final-block.sql.js';
import { Database } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import type { TreasuryChain } from '../treasury/treasury-chains.service.js';
import { findWallet, openBelow } from './transactions.sql.js';
import { highestCounts, type WalletCounts } from '../treasury/wallets/wallet-counts.js';

/** The most open transactions that are checked on the chain; there are never more. */
const OPEN_MAX = 500;

/** The progress of a transaction on the chain: in a final block, in a block, or only in the pool of a node. */
export type NonceProgress = 'final' | 'mined' | 'waiting';

/** A nonce of a hot wallet that the chain counts, used by a transaction that is not recorded. */
export interface UnrecordedNonce {
  readonly nonce: number;
  readonly progress: NonceProgress;
  /** The recorded transaction with the nonce, when the chain mined a different one. */
  readonly known: Pick<RowOf<typeof openBelow>, 'id' | 'purpose' | 'purposeId'> | null;
}

/** A hot wallet and its unrecorded transactions. */
export interface UnrecordedTransactionsView {
  readonly address: string;
  /** The next nonce by the database. */
  readonly nextNonce: number;
  /** In ascending order. */
  readonly nonces: readonly UnrecordedNonce[];
}

/** A hot wallet's nonces by the chain. */
interface Counts extends Pick<WalletCounts, 'mined' | 'waiting'> {
  /** At the final block. */
  readonly final: number;
}

/** Finds transactions of a hot wallet that the database has lost or never had. */
@Injectable()
export class UnrecordedTransactions {
  constructor(private readonly database: Database) {}

  /**
   * Asks all nodes of the chain now, at most twice; null when there is no hot wallet. A node that takes longer than `withinMs`
   * for an answer is ignored.
   * @throws ChainUnavailable
   */
  async of(chain: TreasuryChain, withinMs: number = NODE_PATIENCE_MS): Promise<UnrecordedTransactionsView | null> {
    const { chainRef } = chain;
    const [wallet] = await this.database.rows(findWallet(chainRef));
    if (wallet === undefined) return null;
    // The chain is read first: a transaction that is sent meanwhile is recorded before the chain counts it.
    const [{ mined, waiting }, final] = await Promise.all([
      highestCounts(this.database, chain, wallet.addressKey, withinMs),
      this.finalCount(chain, wallet.addressKey, withinMs),
    ]);
    const counts = { mined, waiting, final };
    const [row] = await this.database.rows(findWallet(chainRef));
    const nextNonce = Number(row?.nextNonce);
    const missing = Math.max(0, counts.waiting - nextNonce);
    const ahead = Array.from({ length: missing }, (_, place): UnrecordedNonce => {
      const nonce = nextNonce + place;
      return { nonce, progress: progressOf(nonce, counts), known: null };
    });
    return {
      address: wallet.address,
      nextNonce,
      nonces: [...(await this.unrecordedVersions(chain, counts, withinMs)), ...ahead],
    };
  }

  /** Returns the count at the listener's final block; 0 when no node has kept its state. */
  private async finalCount({ chainRef, nodes }: TreasuryChain, address: string, withinMs: number): Promise<number> {
    const [final] = await this.database.rows(findFinalBlock(chainRef));
    if (final === undefined) return 0;
    const answers = await nodes.ask(({ outgoing }) => outgoing.nonceAt(final, address), { withinMs });
    return Math.max(0, ...answers.map(({ answer }) => answer));
  }

  /** Returns the nonces that the chain used for a transaction other than the recorded versions. */
  private async unrecordedVersions(
    { chainRef, nodes }: TreasuryChain,
    counts: Counts,
    withinMs: number,
  ): Promise<UnrecordedNonce[]> {
    const open = await this.database.rows(openBelow(chainRef, counts.mined, OPEN_MAX));
    if (open.length === 0) return [];
    const hashes = open.flatMap((row) => row.hashes);
    const answers = await nodes.ask(({ outgoing }) => outgoing.receiptsOf(hashes), { withinMs });
    if (answers.length === 0) throw new ChainUnavailable('No node answers which transactions were mined.');
    const mined = new Set(answers.flatMap(({ answer }) => answer.map((receipt) => receipt?.txHash)));
    return open
      .filter((row) => !row.hashes.some((hash) => mined.has(hash)))
      .map(({ id, purpose, purposeId, nonce }) => ({
        nonce: Number(nonce),
        progress: progressOf(Number(nonce), counts),
        known: { id, purpose, purposeId },
      }));
  }
}

function progressOf(nonce: number, { final, mined }: Counts): NonceProgress {
  if (nonce < final) return 'final';
  return nonce < mined ? 'mined' : 'waiting';
}
