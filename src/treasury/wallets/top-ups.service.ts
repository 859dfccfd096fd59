import type { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { ChainClient, NodeClient } from '../../chains/chain.js';
import type { ChainNodes } from '../../chains/nodes/chain-nodes.js';
import { newId } from '../../domain/ids.js';
import { assetOf, transfer } from '../../domain/posting.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ChainJob } from '../chain-job.js';
import { TopUp } from './top-up.entity.js';
import { comparableSnapshots, comparedTokens, lockSnapshots, markCompared, uncomparedWallets } from './top-ups.sql.js';
import {
  type ExpiringChain,
  type ExpiringNode,
  type TreasuryChain,
  TreasuryChains,
} from '../treasury-chains.service.js';

/** The balance of a hot wallet at a final block, by the chain and by the books. */
interface Comparison {
  readonly token: string;
  readonly height: number;
  readonly blockHash: string;
  /** Transactions that it had sent; null where the chain counts none. */
  readonly nonce: number | null;
  readonly onChain: bigint;
  /** May be negative before the first top-up is booked. */
  readonly books: bigint;
  /** The block of the previous comparison; -1 when there was none. */
  readonly fromHeight: number;
}

/** A balance by another node, with the transactions that it counts. */
interface OtherBalance {
  readonly units: bigint;
  readonly nonce: number | null;
}

/** Reads the balance of a comparison from a node; null when it does not know. */
type BalanceReader<Client> = (client: Client, comparison: Comparison) => Promise<OtherBalance | null>;
type ComparedChain = Pick<TreasuryChain, 'chainRef' | 'profile'>;

/**
 * Compares the balances of hot wallets with the books, block by block. A surplus came from an operator and is booked as
 * a top-up. A missing amount is not booked: it is reported, and later funds make up for it.
 */
@Injectable()
export class TopUps {
  private readonly job: ChainJob<TreasuryChain>;
  private readonly expiringJob: ChainJob<ExpiringChain>;
  /** Differences that other nodes did not confirm and that were logged. */
  private readonly disputed = new Set<string>();
  /** Missing amounts that were logged. */
  private readonly missing = new Map<string, bigint>();

  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
    private readonly metrics: Metrics,
    chains: TreasuryChains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('top-ups', chains, logger);
    this.expiringJob = new ChainJob('top-ups', chains.expiring, logger);
  }

  /** Compares every balance snapshot that is ready. Runs in the leader of the recurring jobs. */
  @RecurringJob({ role: 'worker', every: 2_000, leader: 'scheduler', when: uncomparedWallets })
  async bookFound(): Promise<void> {
    const wallets = await this.database.rows(uncomparedWallets);
    const due = new Map(wallets.map(({ chainRef, addressKey }) => [chainRef, addressKey]));
    await this.job.run(due, (chain, address) => this.compare(chain, chain.nodes, holdingReader(address)));
    await this.expiringJob.run(due, (chain, address) => this.compare(chain, chain.nodes, finalReader(address)));
  }

  /** Publishes as metrics which tokens are missing from hot wallets, and the age of each comparison. */
  @RecurringJob({ role: 'worker', every: 10_000 })
  async measure(): Promise<void> {
    for (const { chainRef, symbol, isShort, age } of await this.database.rows(comparedTokens)) {
      if (isShort !== null) this.metrics.treasury.setShort(chainRef, symbol, isShort);
      this.metrics.treasury.setComparedAge(chainRef, symbol, Number(age));
    }
  }

  private async compare<Client extends NodeClient>(
    chain: ComparedChain,
    nodes: ChainNodes<Client>,
    readBy: BalanceReader<Client>,
  ): Promise<void> {
    const confirmed: Comparison[] = [];
    for (const comparison of await comparable(this.database.em(), chain.chainRef)) {
      if (await this.isAgreedUpon(chain.chainRef, nodes, comparison, readBy)) confirmed.push(comparison);
    }
    if (confirmed.length === 0) return;
    const done = await this.database.transaction((tx) => this.conclude(tx, chain, confirmed));
    for (const comparison of done) this.report(chain.chainRef, comparison);
  }

  /**
   * A booking is final, so where a chain has several nodes another one must confirm a top-up. Missing funds are not
   * booked: one node is enough to report them unless another denies it.
   */
  private async isAgreedUpon<Client extends NodeClient>(
    chainRef: string,
    nodes: ChainNodes<Client>,
    comparison: Comparison,
    readBy: BalanceReader<Client>,
  ): Promise<boolean> {
    if (comparison.onChain === comparison.books || nodes.count === 1) return true;
    const { token, onChain, books, nonce, height } = comparison;
    const opinions = await nodes.ask((client) => readBy(client, comparison));
    const isSame = opinions.every(({ answer }) => answer.units === onChain && answer.nonce === nonce);
    const key = `${chainRef} ${token}`;
    if (isSame && (opinions.length > 1 || onChain < books)) {
      this.disputed.delete(key);
      return true;
    }
    if (!this.disputed.has(key)) {
      this.disputed.add(key);
      const detail = { chainRef, token, height, onChain: String(onChain), nonce };
      this.logger.warn(detail, 'No other node confirmed the balance of a hot wallet.');
    }
    return false;
  }

  /** Books the confirmed comparisons that are still unchanged. The lock keeps parallel runs from booking one twice. */
  private async conclude(
    tx: Tx,
    chain: ComparedChain,
    confirmed: readonly Comparison[],
  ): Promise<readonly Comparison[]> {
    const { chainRef } = chain;
    await rows(tx, lockSnapshots(chainRef));
    const unchanged = (await comparable(tx, chainRef)).filter((now) =>
      confirmed.some(({ token, height, onChain, books }) => {
        const isSameBlock = token === now.token && height === now.height;
        return isSameBlock && onChain === now.onChain && books === now.books;
      }),
    );
    for (const comparison of unchanged) {
      if (comparison.onChain > comparison.books) await this.book(tx, chain, comparison);
      const booked = comparison.onChain > comparison.books ? comparison.onChain : comparison.books;
      await rows(tx, markCompared(chainRef, comparison.token, booked));
    }
    return unchanged;
  }

  private async book(
    tx: Tx,
    { chainRef, profile: { environment, network } }: ComparedChain,
    { token, onChain, books, fromHeight, height }: Comparison,
  ): Promise<void> {
    const id = newId('top_');
    const amount = onChain - books;
    await tx.insert(TopUp, { id, chainRef, tokenContract: token, fromHeight, toHeight: height, amount });
    const asset = assetOf(network, token);
    await this.ledger.book(tx, {
      reference: `top_up:${id}`,
      kind: 'top_up',
      environment,
      legs: transfer({
        from: await systemAccount(tx, 'chain', environment, asset),
        to: await systemAccount(tx, 'capital', environment, asset),
        asset,
        amount,
      }),
    });
  }

  private report(chainRef: string, { token, height, onChain, books }: Comparison): void {
    const detail = { chainRef, token, height, onChain: String(onChain), books: String(books) };
    const key = `${chainRef} ${token}`;
    const missing = books > onChain ? books - onChain : 0n;
    if (onChain > books)
      this.logger.info({ ...detail, amount: String(onChain - books) }, 'A hot wallet was topped up.');
    if (missing > 0n && missing !== this.missing.get(key)) {
      this.logger.error({ ...detail, missing: String(missing) }, 'Funds are missing from a hot wallet.');
    }
    if (missing > 0n) this.missing.set(key, missing);
    else this.missing.delete(key);
  }
}

/** Reads the balance at exactly the block of the snapshot. */
const holdingReader =
  (address: string): BalanceReader<ChainClient> =>
  async ({ outgoing }, { blockHash, token }) =>
    (await outgoing.holdingsAt({ hash: blockHash }, [{ address, token }]))[0] ?? null;

/** Reads the balance at a final block of the node: funds that moved since the snapshot differ, until a newer one is compared. */
const finalReader =
  (address: string): BalanceReader<ExpiringNode> =>
  async (client, { token, height }) => {
    const { owned } = await client.finalBalancesOf(address, [token], height);
    return { units: owned[0] ?? 0n, nonce: null };
  };

async function comparable(em: EntityManager, chainRef: string): Promise<readonly Comparison[]> {
  const snapshots = await rows(em, comparableSnapshots(chainRef));
  return snapshots.map(({ tokenContract: token, blockHash, ...row }) => ({
    token,
    height: Number(row.height),
    blockHash,
    nonce: row.nonce === null ? null : Number(row.nonce),
    onChain: BigInt(row.amount),
    books: BigInt(row.books),
    fromHeight: Number(row.fromHeight),
  }));
}
