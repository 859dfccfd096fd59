import { Module } from '@nestjs/common';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { RefundOperationsModule } from '../../suspense/refunds/refund-operations.module.js';
import { RefundOutcomeHandler } from '../../suspense/refunds/refund-outcome-handler.service.js';
import { UnsignedRefunds } from '../../suspense/refunds/unsigned-refunds.service.js';
import { SanctionsModule } from '../../sanctions/sanctions.module.js';
import { ExpiredTransactions } from '../../treasury/expiring/expired-transactions.service.js';
import { ExpiringConfirmer } from '../../treasury/expiring/expiring-confirmer.service.js';
import { ExpiringSimulator } from '../../treasury/expiring/expiring-simulator.service.js';
import { PaymentSimulator } from '../../treasury/simulation/payment-simulator.service.js';
import { ContractOutcomeHandler } from '../../treasury/sweeps/contract-outcome-handler.service.js';
import { EnergyLoanOutcomeHandler } from '../../treasury/sweeps/energy/energy-loan-outcome-handler.service.js';
import { EnergyReturnOutcomeHandler } from '../../treasury/sweeps/energy/energy-return-outcome-handler.service.js';
import { StakeOutcomeHandler } from '../../treasury/stakes/stake-outcome-handler.service.js';
import { FundingOutcomeHandler } from '../../treasury/sweeps/funding/funding-outcome-handler.service.js';
import { SweepOutcomeHandler } from '../../treasury/sweeps/sweep-outcome-handler.service.js';
import { SweepsModule } from '../../treasury/sweeps/sweeps.module.js';
import { Broadcaster } from '../../treasury/transactions/broadcaster.service.js';
import { Confirmer } from '../../treasury/transactions/confirmer.service.js';
import { LossOutcomeHandler } from '../../treasury/transactions/loss-outcome-handler.service.js';
import { type OutcomeHandlers, OUTCOME_HANDLERS } from '../../treasury/transactions/outcome-handler.js';
import { OutcomeRecorder } from '../../treasury/transactions/outcome-recorder.service.js';
import { Replacements } from '../../treasury/transactions/replacements.service.js';
import { TreasuryModule } from '../../treasury/treasury.module.js';
import { VaultStatusModule } from '../../vault-status/vault-status.module.js';
import { WithdrawalOperationsModule } from '../withdrawal-operations.module.js';
import { WithdrawalPoliciesModule } from '../policies/withdrawal-policies.module.js';
import { PayoutHealthModule } from './payout-health.module.js';
import { PayoutWatch } from './payout-watch.service.js';
import { UnsignedWithdrawals } from './unsigned-withdrawals.service.js';
import { WithdrawalOutcomeHandler } from './withdrawal-outcome-handler.service.js';

/**
 * Wires what happens to an order until it ends: simulation, signature, broadcast, replacement, outcome. The treasury does
 * this for every purpose, and calls the outcome handlers bound here.
 */
@Module({
  imports: [
    LedgerModule,
    PayoutHealthModule,
    RefundOperationsModule,
    SanctionsModule,
    SweepsModule,
    TreasuryModule,
    VaultStatusModule,
    WithdrawalOperationsModule,
    WithdrawalPoliciesModule,
  ],
  providers: [
    {
      provide: OUTCOME_HANDLERS,
      useFactory: (
        withdrawal: WithdrawalOutcomeHandler,
        sweep: SweepOutcomeHandler,
        contract: ContractOutcomeHandler,
        refund: RefundOutcomeHandler,
        loss: LossOutcomeHandler,
        funding: FundingOutcomeHandler,
        energyLoan: EnergyLoanOutcomeHandler,
        energyReturn: EnergyReturnOutcomeHandler,
        stake: StakeOutcomeHandler,
      ): OutcomeHandlers => ({
        withdrawal,
        sweep,
        contract,
        deposit_return: refund,
        loss,
        funding,
        energy_loan: energyLoan,
        energy_return: energyReturn,
        stake,
      }),
      inject: [
        WithdrawalOutcomeHandler,
        SweepOutcomeHandler,
        ContractOutcomeHandler,
        RefundOutcomeHandler,
        LossOutcomeHandler,
        FundingOutcomeHandler,
        EnergyLoanOutcomeHandler,
        EnergyReturnOutcomeHandler,
        StakeOutcomeHandler,
      ],
    },
    UnsignedWithdrawals,
    UnsignedRefunds,
    PaymentSimulator,
    ExpiringSimulator,
    Broadcaster,
    Replacements,
    Confirmer,
    ExpiringConfirmer,
    ExpiredTransactions,
    OutcomeRecorder,
    PayoutWatch,
  ],
  exports: [SweepsModule, TreasuryModule, Replacements, UnsignedWithdrawals, UnsignedRefunds],
})
export class PayoutsModule {}
