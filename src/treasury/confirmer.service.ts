import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { ChainUnavailable } from '../chains/chain.js';
import type { NodeSession } from '../chains/chain-nodes.js';
import type { TransactionReceipt } from '../chains/outgoing.js';
import { Database } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import type { OpenTransaction } from './open-transaction.js';
import { TransactionEndings } from './transaction-endings.service.js';
import { type TreasuryChain, TreasuryChains } from './treasury-chains.service.js';

const BATCH = 500;
/** So long may a node know that a nonce is used and not yet by which transaction. */
const UNEXPLAINED_AFTER_MS = 60_000;

/** What a chain says about its open transactions, as of a final block. */
interface Look {
  /** By transaction, the receipt of whichever attempt was mined. */
  readonly mined: ReadonlyMap<OpenTransaction, TransactionReceipt>;
  /** The sender's nonce at the final block: lower ones are used up. */
  readonly finalNonce: number;
}

/** Finds out how outgoing transactions ended: by final receipts alone, over all attempts of a nonce. */
@Injectable()
export class Confirmer {
  /** Transactions whose nonce is used by something that we do not know, and since when (monotonic). */
  private readonly unexplained = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly chains: TreasuryChains,
    private readonly endings: TransactionEndings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Looks at every chain that has open transactions; one that is down holds up no other. */
  async confirmAll(): Promise<void> {
    const rows = await this.database.query<{ chain_ref: string }>(
      `select distinct chain_ref from chain_transaction where status = 'signed'`,
    );
    await Promise.all(rows.map((row) => this.confirm(row.chain_ref)));
  }

  private async confirm(chainRef: string): Promise<void> {
    const chain = await this.chains.find(chainRef);
    if (chain === null) return;
    const open = await this.openOn(chainRef);
    try {
      const { mined, finalNonce } = await chain.nodes.attempt((session) => this.look(session, chain, open));
      for (const [transaction, receipt] of mined) await this.endings.end(transaction, receipt);
      await this.watchNonces(open, mined, finalNonce);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      this.logger.warn({ chainRef, err: error }, 'outgoing transactions could not be looked up');
    }
  }

  private async openOn(chainRef: string): Promise<OpenTransaction[]> {
    const rows = await this.database.query<{ id: string; sender: string; nonce: string; hashes: string[] }>(
      `select id, sender, nonce, array(select tx_hash from transaction_attempt where transaction_id = chain_transaction.id
                                        order by number desc) as hashes
         from chain_transaction where chain_ref = $1 and status = 'signed' order by nonce limit $2`,
      [chainRef, BATCH],
    );
    return rows.map(({ id, sender, nonce, hashes }) => ({ id, chainRef, sender, nonce: Number(nonce), hashes }));
  }

  private async look(
    { client }: NodeSession,
    { chainRef }: TreasuryChain,
    open: readonly OpenTransaction[],
  ): Promise<Look> {
    const [first] = open;
    const [final] = await this.database.query<{ height: string; hash: string }>(
      `select block.height, block.hash from chain_cursor cursor
         join chain_block block on block.chain_ref = cursor.chain_ref and block.height = cursor.finalized_height
        where cursor.chain_ref = $1`,
      [chainRef],
    );
    if (first === undefined || final === undefined) return { mined: new Map(), finalNonce: 0 };
    const block = { height: Number(final.height), hash: final.hash };
    const finalNonce = await client.outgoing.nonceAt(block, first.sender);
    const due = open.filter((transaction) => transaction.nonce < finalNonce);
    const receipts = await client.outgoing.receiptsOf(due.flatMap(({ hashes }) => hashes));
    const byHash = new Map(receipts.flatMap((receipt) => (receipt === null ? [] : [[receipt.txHash, receipt]])));
    const mined = new Map<OpenTransaction, TransactionReceipt>();
    for (const transaction of due) {
      const receipt = transaction.hashes.map((hash) => byHash.get(hash)).find((found) => found !== undefined);
      if (receipt !== undefined && receipt.height <= block.height) mined.set(transaction, receipt);
    }
    const headers = await client.headersAt([...mined.values()].map(({ height }) => height));
    const isCanonical = new Set(headers.map((header) => header?.hash));
    for (const [transaction, { blockHash }] of mined) if (!isCanonical.has(blockHash)) mined.delete(transaction);
    return { mined, finalNonce };
  }

  /** A nonce that is used at a final block by none of our attempts: somebody else signs with this key. */
  private async watchNonces(open: readonly OpenTransaction[], mined: Look['mined'], finalNonce: number): Promise<void> {
    const now = performance.now();
    for (const transaction of open) {
      if (transaction.nonce >= finalNonce || mined.has(transaction)) {
        this.unexplained.delete(transaction.id);
        continue;
      }
      const since = this.unexplained.get(transaction.id) ?? now;
      this.unexplained.set(transaction.id, since);
      if (now - since > UNEXPLAINED_AFTER_MS) await this.endings.freeze(transaction);
    }
  }
}
