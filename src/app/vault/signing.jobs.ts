import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { JobHandler } from '../../platform/queue/job-handler.js';
import type { Jobs } from '../../platform/queue/jobs.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { UnsignedRefunds } from '../../suspense/refunds/unsigned-refunds.service.js';
import { DatabaseIdentityCheck } from '../../treasury/database-identity-check.service.js';
import { SweepSigner } from '../../treasury/sweeps/sweep-signer.service.js';
import { SWEEP_PURPOSES } from '../../treasury/sweeps/sweep-signing.sql.js';
import { PaymentSigner } from '../../treasury/transactions/payment-signer.service.js';
import { Replacements } from '../../treasury/transactions/replacements.service.js';
import { findWaitingKinds, type WaitingKind } from '../../treasury/waiting-kinds.sql.js';
import { UnsignedWithdrawals } from '../../withdrawals/payouts/unsigned-withdrawals.service.js';
import { OpenVault } from './open-vault.service.js';

/** Signs waiting transactions with the open vault: one parameter for each kind of orders, and those that sign them. */
@Injectable()
export class SigningJobs {
  constructor(
    private readonly vault: OpenVault,
    private readonly database: Database,
    private readonly databaseIdentity: DatabaseIdentityCheck,
    private readonly replacements: Replacements,
    private readonly payments: PaymentSigner,
    private readonly withdrawals: UnsignedWithdrawals,
    private readonly refunds: UnsignedRefunds,
    private readonly sweeps: SweepSigner,
  ) {}

  /**
   * Signs everything that waits, including for funds, fees, a limit or an open vault. Replacements come first, because they
   * unblock later transactions, and sweeps last. The check for another database comes before all of them, because it must
   * stop the wallets even when nothing waits. One statement finds the kinds of which anything waits, and only their orders
   * are read.
   */
  @RecurringJob({ role: 'vault', every: 1_000 })
  async signAll(): Promise<void> {
    await this.databaseIdentity.check();
    const kinds = await this.waitingKinds();
    if (kinds.has('replacement')) await this.vault.use((vault) => this.replacements.signWanted(vault));
    if (kinds.has('withdrawal')) await this.signWithdrawals();
    if (kinds.has('deposit_return')) await this.vault.use((vault) => this.payments.signWaiting(vault, this.refunds));
    const sweeps = SWEEP_PURPOSES.filter((purpose) => kinds.has(purpose));
    await this.vault.use((vault) => this.sweeps.signWaiting(vault, sweeps));
  }

  @JobHandler('withdrawals.sign')
  async signWithdrawals(): Promise<void> {
    await this.vault.use((vault) => this.payments.signWaiting(vault, this.withdrawals));
  }

  @JobHandler('treasury.replace')
  async signReplacement({ transactionId }: Jobs['treasury.replace']): Promise<void> {
    await this.vault.use((vault) => this.replacements.sign(vault, transactionId));
  }

  private async waitingKinds(): Promise<ReadonlySet<WaitingKind>> {
    return new Set((await this.database.rows(findWaitingKinds)).map(({ kind }) => kind));
  }
}
