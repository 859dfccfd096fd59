import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { NetworksModule } from '../offers/networks.module.js';
import { RefundOutcomeHandler } from '../suspense/refunds/refund-outcome-handler.service.js';
import { RefundsModule } from '../suspense/refunds/refunds.module.js';
import { SanctionsModule } from '../sanctions/sanctions.module.js';
import { ContractOutcomeHandler } from '../treasury/sweeps/contract-outcome-handler.service.js';
import { SweepOutcomeHandler } from '../treasury/sweeps/sweep-outcome-handler.service.js';
import { SweepsModule } from '../treasury/sweeps/sweeps.module.js';
import { Broadcaster } from '../treasury/transactions/broadcaster.service.js';
import { Confirmer } from '../treasury/transactions/confirmer.service.js';
import { LossOutcomeHandler } from '../treasury/transactions/loss-outcome-handler.service.js';
import { Replacements } from '../treasury/transactions/replacements.service.js';
import { OutcomeRecorder } from '../treasury/transactions/outcome-recorder.service.js';
import { type OutcomeHandlers, OUTCOME_HANDLERS } from '../treasury/transactions/outcome-handler.js';
import { TreasuryModule } from '../treasury/treasury.module.js';
import { VaultStatusModule } from '../vault-status/vault-status.module.js';
import { PaymentSimulator } from '../treasury/simulation/payment-simulator.service.js';
import { PayoutHealthModule } from './payouts/payout-health.module.js';
import { PayoutWatch } from './payouts/payout-watch.service.js';
import { WithdrawalChecks } from './withdrawal-checks.service.js';
import { WithdrawalOutcomeHandler } from './payouts/withdrawal-outcome-handler.service.js';
import { WithdrawalOperationsModule } from './withdrawal-operations.module.js';
import { WithdrawalPoliciesModule } from './policies/withdrawal-policies.module.js';
import { WithdrawalReader } from './withdrawal-reader.service.js';
import { UnsignedWithdrawals } from './payouts/unsigned-withdrawals.service.js';
import { WithdrawalsService } from './withdrawals.service.js';

/** Money out: ordered here, signed by the vault, sent and confirmed by the treasury. */
@Module({
  imports: [
    LedgerModule,
    NetworksModule,
    RefundsModule,
    SanctionsModule,
    PayoutHealthModule,
    SweepsModule,
    TreasuryModule,
    VaultStatusModule,
    WithdrawalOperationsModule,
    WithdrawalPoliciesModule,
  ],
  providers: [
    WithdrawalsService,
    WithdrawalChecks,
    WithdrawalReader,
    UnsignedWithdrawals,
    {
      provide: OUTCOME_HANDLERS,
      useFactory: (
        withdrawal: WithdrawalOutcomeHandler,
        sweep: SweepOutcomeHandler,
        contract: ContractOutcomeHandler,
        refund: RefundOutcomeHandler,
        loss: LossOutcomeHandler,
      ): OutcomeHandlers => ({ withdrawal, sweep, contract, deposit_return: refund, loss }),
      inject: [
        WithdrawalOutcomeHandler,
        SweepOutcomeHandler,
        ContractOutcomeHandler,
        RefundOutcomeHandler,
        LossOutcomeHandler,
      ],
    },
    OutcomeRecorder,
    Replacements,
    Broadcaster,
    Confirmer,
    PaymentSimulator,
    PayoutWatch,
  ],
  exports: [
    RefundsModule,
    SweepsModule,
    TreasuryModule,
    WithdrawalOperationsModule,
    WithdrawalsService,
    WithdrawalReader,
    Replacements,
    UnsignedWithdrawals,
    Broadcaster,
    Confirmer,
    PaymentSimulator,
    PayoutWatch,
  ],
})
export class WithdrawalsModule {}
