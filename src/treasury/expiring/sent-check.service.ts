import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { ChainJob } from '../chain-job.js';
import { NODE_PATIENCE_MS } from '../node-patience.js';
import { type ExpiringChain, TreasuryChains } from '../treasury-chains.service.js';
import { raiseComplete, trustRecords, walletsOfFamilies } from '../wallets/hot-wallets.sql.js';
import { freezeWallet } from '../wallets/wallet-freeze.js';
import { EXPIRING_FAMILIES } from './expiring-families.js';
import { readUnrecorded } from './unrecorded-sent.js';

/** Time between two checks of a wallet whose records are trusted, and reach the final block. */
const CHECK_EVERY_MS = 15_000;

/** Why the records are not trusted, although a node says that they can be. */
const DOUBT_LINES = {
  disagreement: 'Nodes disagree about the time of a final block: the records are not trusted, and nothing is signed.',
  silence: 'One node alone says the time of a final block: the records are not trusted, and nothing is signed.',
} as const;
type Doubt = keyof typeof DOUBT_LINES;

type Wallet = RowOf<typeof walletsOfFamilies>;

/**
 * Compares the transactions that a hot wallet has sent with those that are recorded. A database that is older than the chain
 * lacks some, and bytes that it does not have may still be mined. So nothing is signed after a start of the vault, until
 * final blocks are past that moment by the longest lifetime of a transaction and every transaction in them is recorded.
 */
@Injectable()
export class SentCheck {
  private readonly job: ChainJob<ExpiringChain>;
  /** When a trusted wallet was checked up to the final block last, by chain (monotonic). */
  private readonly checkedAt = new Map<string, number>();
  /** Doubts that were logged, by chain. */
  private readonly reported = new Map<string, Set<Doubt>>();

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('sent transactions', chains.expiring, logger);
  }

  /** Checks every hot wallet: at once while its records are not trusted or final blocks wait, and now and then afterwards. */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'scheduler' })
  async check(): Promise<void> {
    const wallets = await this.database.rows(walletsOfFamilies(EXPIRING_FAMILIES));
    const due = wallets.filter((wallet) => !wallet.isTrusted || this.isDue(wallet.chainRef));
    await this.job.run(new Map(due.map((wallet) => [wallet.chainRef, wallet])), async (chain, wallet) => {
      const hasMore = await this.compare(chain, wallet);
      if (!hasMore) this.checkedAt.set(chain.chainRef, performance.now());
    });
  }

  private isDue(chainRef: string): boolean {
    const last = this.checkedAt.get(chainRef);
    return last === undefined || performance.now() - last > CHECK_EVERY_MS;
  }

  /** Returns whether final blocks remain for the next check. */
  private async compare(chain: ExpiringChain, wallet: Wallet): Promise<boolean> {
    const { chainRef } = chain;
    const { sent, completeUpTo, hasMore } = await readUnrecorded(this.database, chain, wallet);
    const [unrecorded] = sent;
    if (unrecorded !== undefined) {
      await this.freeze(chainRef, unrecorded.txHash, sent.length);
      return false;
    }
    await this.database.rows(raiseComplete(chainRef, completeUpTo));
    if (!wallet.isTrusted && (await this.isPastLifetime(chain, wallet, completeUpTo))) {
      const since = wallet.distrustedAt === null ? null : new Date(wallet.distrustedAt);
      await this.database.rows(trustRecords(chainRef, since));
    }
    return hasMore;
  }

  /** Whether nothing that was signed before the records were distrusted can be mined above this final block. */
  private async isPastLifetime(
    { chainRef, nodes, profile }: ExpiringChain,
    wallet: Wallet,
    height: number,
  ): Promise<boolean> {
    if (wallet.distrustedAt === null) return true;
    const past = new Date(wallet.distrustedAt).getTime() + profile.transactionLifetimeMs;
    const blocks = await nodes.ask((client) => client.headerAt(height), { withinMs: NODE_PATIENCE_MS });
    const found = verdictOf(
      blocks.map(({ answer }) => answer.time.getTime() >= past),
      nodes.count,
    );
    if (found === 'past') this.reported.delete(chainRef);
    else if (found !== 'not_past') {
      const times = blocks.map(({ label, answer }) => ({ node: label, time: answer.time }));
      this.report(chainRef, found, { height, times });
    }
    return found === 'past';
  }

  /** Logs a doubt once until the records are trusted. */
  private report(chainRef: string, doubt: Doubt, about: object): void {
    const reported = this.reported.get(chainRef) ?? new Set();
    if (reported.has(doubt)) return;
    this.reported.set(chainRef, reported.add(doubt));
    this.logger.warn({ chainRef, ...about }, DOUBT_LINES[doubt]);
  }

  private async freeze(chainRef: string, txHash: string, count: number): Promise<void> {
    const reason = `The hot wallet has sent ${count} transactions that are not recorded here, such as ${txHash}.`;
    const isNews = await this.database.transaction((tx) => freezeWallet(tx, chainRef, reason));
    if (isNews) this.logger.fatal({ chainRef, reason }, 'Signing is frozen.');
  }
}

/**
 * Returns what nodes say by their blocks of one height. Each that has the block must say that it is past, and two of them where
 * there are two: one alone may make its block up while the others are silent.
 */
function verdictOf(arePast: readonly boolean[], nodeCount: number): 'past' | 'not_past' | Doubt {
  if (!arePast.includes(true)) return 'not_past';
  if (arePast.includes(false)) return 'disagreement';
  return arePast.length < Math.min(2, nodeCount) ? 'silence' : 'past';
}
