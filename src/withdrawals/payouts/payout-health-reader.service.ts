import { Inject, Injectable } from '@nestjs/common';
import type { Standing } from '../../domain/outgoing-payment.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { RefundReader } from '../../suspense/refunds/refund-reader.service.js';
import { SweepReader } from '../../treasury/sweeps/sweep-reader.service.js';
import { HotWalletReader, type HotWalletView } from '../../treasury/wallets/hot-wallet-reader.service.js';
import {
  REFUSED_REPLACEMENTS_STATEMENT,
  type RefusedReplacement,
  refusalSentence,
} from '../../treasury/transactions/replacement-refusal.js';
import { standingColumn, type StandingCount } from '../../treasury/transactions/payment-standing.js';
import { untakenTransactions } from '../../treasury/transactions/untaken-transactions.js';
import { VaultHeartbeat } from '../../vault-status/vault-heartbeat.service.js';
import type { OpenTransactions, PayoutHealth } from './payout-health.js';
import { WAITING_SINCE } from '../policies/withdrawal-rules.sql.js';

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
      view.environment === 'sandbox' && this.config.devChains.includes(view.network)
        ? { ...view, isLowOnGas: false }
        : view,
    );
  }

  private async frozenMerchants(): Promise<number> {
    const [frozen] = await this.database.query<{ count: number }>(
      `select count(*)::int as count from withdrawal_policy where frozen_reason is not null`,
    );
    return frozen?.count ?? 0;
  }

  private async refusals(): Promise<RefusedReplacement[]> {
    const rows = await this.database.query<{ id: string; chain_ref: string; nonce: string; reason: string }>(
      REFUSED_REPLACEMENTS_STATEMENT,
    );
    return rows.map((row) => ({
      transactionId: row.id,
      chainRef: row.chain_ref,
      nonce: Number(row.nonce),
      reason: refusalSentence(row.reason),
    }));
  }

  private async standings(): Promise<StandingCount[]> {
    const rows = await this.database.query<{ standing: Standing; count: number; oldest: number }>(
      `select ${standingColumn('withdrawal')} as standing, count(*)::int as count,
              max(extract(epoch from clock_timestamp() - ${WAITING_SINCE}))::int as oldest
         from withdrawal where status = 'broadcasting' group by 1 order by 3 desc`,
    );
    return rows.map(({ standing, count, oldest }) => ({ standing, count, oldestSeconds: Math.max(0, oldest) }));
  }

  private async transactions(): Promise<OpenTransactions[]> {
    const rows = await this.database.query<{ chain_ref: string; count: number; oldest: number }>(
      `select chain_ref, count(*)::int as count, extract(epoch from clock_timestamp() - min(created_at))::int as oldest
         from chain_transaction where status = 'signed' group by chain_ref order by chain_ref`,
    );
    return rows.map(({ chain_ref: chainRef, count, oldest }) => ({
      chainRef,
      count,
      oldestSeconds: Math.max(0, oldest),
    }));
  }
}
