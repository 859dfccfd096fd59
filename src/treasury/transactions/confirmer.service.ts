import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { NodeSession } from '../../chains/nodes/chain-nodes.js';
import type { TransactionReceipt } from '../../chains/outgoing.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { findFinalBlock } from '../final-block.sql.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ChainJob } from '../chain-job.js';
import type { OpenTransaction } from './open-transaction.js';
import { minedAttempt, OutcomeRecorder } from './outcome-recorder.service.js';
import { chainsWithOpen, openTransactions } from './outcomes.sql.js';
import { type TreasuryChain, TreasuryChains } from '../treasury-chains.service.js';
import { type CheckedReceipts, crossCheckReceipts, type PendingTransaction } from './checked-receipts.js';

const BATCH = 500;

/** The receipts and the nonce of a chain's open transactions, as of a final block. */
interface Findings extends CheckedReceipts {
  /** The sender's nonce at the final block: lower ones are used. */
  readonly finalNonce: number;
}

/** Determines how outgoing transactions ended: by final receipts alone, over all attempts of a nonce. */
@Injectable()
export class Confirmer {
  private readonly job: ChainJob<TreasuryChain>;
  /** Transactions whose nonce was used by none of our attempts, and since when (monotonic). */
  private readonly unexplained = new Map<string, number>();
  /** Transactions whose dispute was logged. */
  private readonly disputed = new Set<string>();

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    private readonly outcomes: OutcomeRecorder,
    @Inject(CONFIG) private readonly config: Pick<Config, 'treasury'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('outgoing transactions', chains, logger);
  }

  /** Checks every chain that has open transactions. A chain that is down or hangs delays no other. */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'scheduler', when: chainsWithOpen })
  async confirmAll(): Promise<void> {
    const busy = await this.database.rows(chainsWithOpen);
    await this.job.run(new Map(busy.map(({ chainRef }) => [chainRef, null])), (chain) => this.confirm(chain));
  }

  private async confirm(chain: TreasuryChain): Promise<void> {
    const open = await this.openOn(chain.chainRef);
    const found = await chain.nodes.attempt((session) => this.inspect(session, chain, open));
    await this.outcomes.end([...found.mined].map(([transaction, receipt]) => [transaction, minedAttempt(receipt)]));
    this.reportDisputes(found);
    await this.watchNonces(open, found);
  }

  private async openOn(chainRef: string): Promise<PendingTransaction[]> {
    const rows = await this.database.rows(openTransactions(chainRef, BATCH));
    return rows.map(({ nonce, destination, value, ...row }) => ({
      ...row,
      chainRef,
      nonce: Number(nonce),
      to: destination,
      value: BigInt(value),
    }));
  }

  private async inspect(
    session: NodeSession,
    { chainRef }: TreasuryChain,
    open: readonly PendingTransaction[],
  ): Promise<Findings> {
    const { client } = session;
    const [first] = open;
    const [final] = await this.database.rows(findFinalBlock(chainRef));
    if (first === undefined || final === undefined) return { mined: new Map(), disputed: new Set(), finalNonce: 0 };
    const block = { height: Number(final.height), hash: final.hash };
    const finalNonce = await client.outgoing.nonceAt(block, first.sender);
    const due = open.filter((transaction) => transaction.nonce < finalNonce);
    const receipts = await client.outgoing.receiptsOf(due.flatMap(({ hashes }) => hashes));
    const byHash = new Map(receipts.flatMap((receipt) => (receipt === null ? [] : [[receipt.txHash, receipt]])));
    const found: [PendingTransaction, TransactionReceipt][] = [];
    for (const transaction of due) {
      // Every receipt counts: a node may still return the receipt of an attempt that a reorg removed.
      const known = transaction.hashes.map((hash) => byHash.get(hash)).filter((receipt) => receipt !== undefined);
      for (const receipt of known) if (receipt.height <= block.height) found.push([transaction, receipt]);
    }
    return { ...(await crossCheckReceipts(session, found)), finalNonce };
  }

  private reportDisputes({ mined, disputed }: Findings): void {
    for (const { id } of mined.keys()) this.disputed.delete(id);
    for (const { id, chainRef } of disputed) {
      if (this.disputed.has(id)) continue;
      this.disputed.add(id);
      this.logger.error({ transactionId: id, chainRef }, 'No other node confirmed how a transaction ended.');
    }
  }

  /** Freezes signing when a final block used a nonce with none of our attempts: somebody else signs with this key. */
  private async watchNonces(
    open: readonly OpenTransaction[],
    { mined, disputed, finalNonce }: Findings,
  ): Promise<void> {
    const now = performance.now();
    for (const transaction of open) {
      if (transaction.nonce >= finalNonce || mined.has(transaction) || disputed.has(transaction)) {
        this.unexplained.delete(transaction.id);
        continue;
      }
      const since = this.unexplained.get(transaction.id) ?? now;
      this.unexplained.set(transaction.id, since);
      // A node may count a nonce before it can return the transaction.
      if (now - since > this.config.treasury.unexplainedAfterMs) await this.outcomes.freeze(transaction);
    }
  }
}
