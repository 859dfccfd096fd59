import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { RefundReader } from '../../suspense/refunds/refund-reader.service.js';
import { SweepReader } from '../../treasury/sweeps/sweep-reader.service.js';
import { HotWalletReader, type HotWalletView } from '../../treasury/wallets/hot-wallet-reader.service.js';
import { type RefusedReplacement, refusalSentence } from '../../treasury/transactions/replacement-refusal.js';
import { findRefusedReplacements } from '../../treasury/transactions/replacements.sql.js';
import type { StandingCount } from '../../treasury/transactions/payment-standing.js';
import { untakenTransactions } from '../../treasury/transactions/untaken-transactions.js';
import { VaultHeartbeat } from '../../vault-status/vault-heartbeat.service.js';
import type { OpenTransactions, PayoutHealth } from './payout-health.js';
import { openTransactions, withdrawalStandings } from './payout-health.sql.js';
import { WithdrawalPolicy } from '../policies/withdrawal-policy.entity.js';

/** Reads the state of outgoing payments from the database alone: no node is asked. */
@Injectable()
export class PayoutHealthReader {
  constructor(
    private readonly database: Database,
    private readonly vault: VaultHeartbeat,
    private readonly wallets: HotWalletReader,
    private readonly sweeps: SweepReader,
    private readonly refunds: RefundReader,
    @Inject(CONFIG) private readonly config: Pick<Config, 'devChains'>,
  ) {}

  async state(): Promise<PayoutHealth> {
    const [vault, standings, refunds, transactions, wallets, sweeps, frozenMerchants, refusals, untaken] =
      await Promise.all([
        this.vault.check(),
        this.standings(),
        this.refunds.standings(),
        this.transactions(),
        this.hotWallets(),
        this.sweeps.all(),
        this.frozenMerchants(),
        this.refusals(),
        untakenTransactions(this.database),
      ]);
    return { vault, standings, refunds, transactions, wallets, sweeps, frozenMerchants, refusals, untaken };
  }

  /** On development chains the sandbox fills the wallets itself, when a withdrawal needs it. */
  private async hotWallets(): Promise<HotWalletView[]> {
    const views = await this.wallets.all();
    return views.map((view) =>
      view.environment === 'sandbox' && this.config.devChains.some((network) => network === view.network)
        ? { ...view, isLowOnGas: false }
        : view,
    );
  }

  private frozenMerchants(): Promise<number> {
    return this.database.em().count(WithdrawalPolicy, { frozenReason: { $ne: null } });
  }

  private async refusals(): Promise<RefusedReplacement[]> {
    const rows = await this.database.rows(findRefusedReplacements);
    return rows.map((row) => ({
      transactionId: row.id,
      chainRef: row.chainRef,
      nonce: Number(row.nonce),
      reason: refusalSentence(row.reason),
    }));
  }

  private async standings(): Promise<StandingCount[]> {
    const found = await this.database.rows(withdrawalStandings);
    return found.map(({ oldest, ...row }) => ({ ...row, oldestSeconds: Math.max(0, oldest) }));
  }

  private async transactions(): Promise<OpenTransactions[]> {
    const found = await this.database.rows(openTransactions);
    return found.map(({ oldest, ...row }) => ({ ...row, oldestSeconds: Math.max(0, oldest) }));
  }
}
