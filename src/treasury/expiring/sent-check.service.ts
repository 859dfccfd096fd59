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

/** Time between two checks of a wallet whose records are trusted. */
const CHECK_EVERY_MS = 15_000;

type Wallet = RowOf<typeof walletsOfFamilies>;

/**
 * Compares the transactions that a hot wallet has sent with those that are recorded. A database that is older than the chain
 * lacks some, and bytes that it does not have may still be mined. So nothing is signed after a start of the vault, until
 * final blocks are past that moment by the longest lifetime of a transaction and every transaction in them is recorded.
 */
@Injectable()
export class SentCheck {
  private readonly job: ChainJob<ExpiringChain>;
  /** When a trusted wallet was checked last, by chain (monotonic). */
  private readonly checkedAt = new Map<string, number>();

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('sent transactions', chains.expiring, logger);
  }

  /** Checks every hot wallet: at once while its records are not trusted, and now and then afterwards. */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'scheduler' })
  async check(): Promise<void> {
    const wallets = await this.database.rows(walletsOfFamilies(EXPIRING_FAMILIES));
    const due = wallets.filter((wallet) => !wallet.isTrusted || this.isDue(wallet.chainRef));
    await this.job.run(new Map(due.map((wallet) => [wallet.chainRef, wallet])), async (chain, wallet) => {
      await this.compare(chain, wallet);
      this.checkedAt.set(chain.chainRef, performance.now());
    });
  }

  private isDue(chainRef: string): boolean {
    const last = this.checkedAt.get(chainRef);
    return last === undefined || performance.now() - last > CHECK_EVERY_MS;
  }

  private async compare(chain: ExpiringChain, wallet: Wallet): Promise<void> {
    const { chainRef } = chain;
    const { sent, completeUpTo } = await readUnrecorded(this.database, chain, wallet);
    const [unrecorded] = sent;
    if (unrecorded !== undefined) return this.freeze(chainRef, unrecorded.txHash, sent.length);
    await this.database.rows(raiseComplete(chainRef, completeUpTo));
    if (!wallet.isTrusted && (await isPastLifetime(chain, wallet, completeUpTo)))
      await this.database.rows(
        trustRecords(chainRef, wallet.distrustedAt === null ? null : new Date(wallet.distrustedAt)),
      );
  }

  private async freeze(chainRef: string, txHash: string, count: number): Promise<void> {
    const reason = `The hot wallet has sent ${count} transactions that are not recorded here, such as ${txHash}.`;
    const isNews = await this.database.transaction((tx) => freezeWallet(tx, chainRef, reason));
    if (isNews) this.logger.fatal({ chainRef, reason }, 'Signing is frozen.');
  }
}

/**
 * Whether nothing that was signed before the records were distrusted can be mined above this final block, as every node says
 * that has it.
 */
async function isPastLifetime(
  { nodes, profile }: ExpiringChain,
  { distrustedAt }: Wallet,
  height: number,
): Promise<boolean> {
  if (distrustedAt === null) return true;
  const past = new Date(distrustedAt).getTime() + profile.transactionLifetimeMs;
  const blocks = await nodes.ask((client) => client.headerAt(height), { withinMs: NODE_PATIENCE_MS });
  return blocks.length > 0 && blocks.every(({ answer }) => answer.time.getTime() >= past);
}
