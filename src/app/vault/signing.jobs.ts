import { Injectable } from '@nestjs/common';
import { JobHandler } from '../../platform/queue/job-handler.js';
import type { Jobs } from '../../platform/queue/jobs.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { RefundSigner } from '../../suspense/refunds/refund-signer.service.js';
import { DatabaseIdentityCheck } from '../../treasury/database-identity-check.service.js';
import { SweepSigner } from '../../treasury/sweeps/sweep-signer.service.js';
import { Replacements } from '../../treasury/transactions/replacements.service.js';
import { WithdrawalSigner } from '../../withdrawals/payouts/withdrawal-signer.service.js';
import { OpenVault } from './open-vault.service.js';

/** Signs waiting transactions with the open vault. */
@Injectable()
export class SigningJobs {
  constructor(
    private readonly vault: OpenVault,
    private readonly databaseIdentity: DatabaseIdentityCheck,
    private readonly replacements: Replacements,
    private readonly withdrawals: WithdrawalSigner,
    private readonly refunds: RefundSigner,
    private readonly sweeps: SweepSigner,
  ) {}

  /**
   * Signs everything that waits, including for funds, fees, a limit or an open vault. Replacements come first, because they
   * unblock later transactions, and sweeps last. The check for another database comes before all of them, because it must
   * stop the wallets even when nothing waits.
   */
  @RecurringJob({ role: 'vault', every: 1_000 })
  async signAll(): Promise<void> {
    await this.databaseIdentity.check();
    await this.vault.use((vault) => this.replacements.signWanted(vault));
    await this.vault.use((vault) => this.withdrawals.signWaiting(vault));
    await this.vault.use((vault) => this.refunds.signWaiting(vault));
    await this.vault.use((vault) => this.sweeps.signWaiting(vault));
  }

  @JobHandler('withdrawals.sign')
  async signWithdrawals(): Promise<void> {
    await this.vault.use((vault) => this.withdrawals.signWaiting(vault));
  }

  @JobHandler('treasury.replace')
  async signReplacement({ transactionId }: Jobs['treasury.replace']): Promise<void> {
    await this.vault.use((vault) => this.replacements.sign(vault, transactionId));
  }
}
