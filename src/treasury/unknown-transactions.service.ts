import { Injectable } from '@nestjs/common';
import type { ChainClient } from '../chains/chain.js';
import { Database } from '../platform/database/database.js';
import type { TransactionPurpose } from './standing-order.js';
import type { TreasuryChain } from './treasury-chains.service.js';

/** So many open transactions are looked for on the chain; more are never open. */
const OPEN_MAX = 500;

/** How far a transaction has come on the chain: in a final block, in a block, or only in the pool of the node asked. */
export type NonceProgress = 'final' | 'mined' | 'waiting';

/** A nonce of a hot wallet that the chain counts, used by a transaction that the database does not know. */
export interface UnknownNonce {
  readonly nonce: number;
  readonly progress: NonceProgress;
  /** What has the nonce here, where the chain took something else: a version that was forgotten, or what nobody here signed. */
  readonly known: { readonly id: string; readonly purpose: TransactionPurpose; readonly purposeId: string } | null;
}

/** A hot wallet, and what the chain knows of it and the database does not. */
export interface UnknownTransactionsView {
  readonly address: string;
  /** The next nonce by the database. */
  readonly nextNonce: number;
  /** In their order. */
  readonly nonces: readonly UnknownNonce[];
}

/** What a chain says of a hot wallet. */
interface Counts {
  readonly final: number;
  readonly mined: number;
  readonly waiting: number;
}

interface OpenRow {
  id: string;
  purpose: TransactionPurpose;
  purpose_id: string;
  nonce: string;
  hashes: string[];
}

/** Finds what a hot wallet sent and the database has forgotten, or never knew. */
@Injectable()
export class UnknownTransactions {
  constructor(private readonly database: Database) {}

  /** Asks the chain now; null when there is no hot wallet. @throws ChainUnavailable */
  async of({ chainRef, nodes }: TreasuryChain): Promise<UnknownTransactionsView | null> {
    const [wallet] = await this.database.query<{ address: string; address_key: string }>(
      `select address, address_key from hot_wallet where chain_ref = $1`,
      [chainRef],
    );
    if (wallet === undefined) return null;
    return nodes.attempt(async ({ client }) => {
      // The chain first: what is signed and sent meanwhile is known here before the chain counts it.
      const counts = await this.counts(client, chainRef, wallet.address_key);
      const [row] = await this.database.query<{ next_nonce: string }>(
        `select next_nonce from hot_wallet where chain_ref = $1`,
        [chainRef],
      );
      const nextNonce = Number(row?.next_nonce);
      const missing = Math.max(0, counts.waiting - nextNonce);
      const ahead = Array.from({ length: missing }, (_, place): UnknownNonce => {
        const nonce = nextNonce + place;
        return { nonce, progress: progressOf(nonce, counts), known: null };
      });
      return {
        address: wallet.address,
        nextNonce,
        nonces: [...(await this.lostVersions(client, chainRef, counts)), ...ahead],
      };
    });
  }

  private async counts(client: ChainClient, chainRef: string, address: string): Promise<Counts> {
    const [final] = await this.database.query<{ hash: string }>(
      `select block.hash from chain_cursor cursor
         join chain_block block on block.chain_ref = cursor.chain_ref and block.height = cursor.finalized_height
        where cursor.chain_ref = $1`,
      [chainRef],
    );
    const mined = await client.outgoing.nonceAt(await client.head(), address);
    return {
      final: final === undefined ? 0 : await client.outgoing.nonceAt(final, address),
      mined,
      waiting: Math.max(mined, await client.outgoing.pendingNonce(address)),
    };
  }

  /** Nonces that are used on the chain, though by none of the versions that are known here. */
  private async lostVersions(client: ChainClient, chainRef: string, counts: Counts): Promise<UnknownNonce[]> {
    const rows = await this.database.query<OpenRow>(
      `select id, purpose, purpose_id, nonce,
              array(select tx_hash from transaction_attempt where transaction_id = chain_transaction.id) as hashes
         from chain_transaction where chain_ref = $1 and status = 'signed' and nonce < $2 order by nonce limit $3`,
      [chainRef, counts.mined, OPEN_MAX],
    );
    const receipts = await client.outgoing.receiptsOf(rows.flatMap(({ hashes }) => hashes));
    const mined = new Set(receipts.map((receipt) => receipt?.txHash));
    return rows
      .filter(({ hashes }) => !hashes.some((hash) => mined.has(hash)))
      .map(({ id, purpose, purpose_id: purposeId, nonce }) => ({
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
