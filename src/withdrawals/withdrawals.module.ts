import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { NetworksModule } from '../offers/networks.module.js';
import { ReturnEndings } from '../suspense/refunds/return-endings.service.js';
import { ReturnsModule } from '../suspense/refunds/returns.module.js';
import { SanctionsModule } from '../sanctions/sanctions.module.js';
import { ContractEndings } from '../treasury/sweeps/contract-endings.service.js';
import { SweepEndings } from '../treasury/sweeps/sweep-endings.service.js';
import { SweepsModule } from '../treasury/sweeps/sweeps.module.js';
import { Broadcaster } from '../treasury/transactions/broadcaster.service.js';
import { Confirmer } from '../treasury/transactions/confirmer.service.js';
import { LossEndings } from '../treasury/transactions/loss-endings.service.js';
import { Replacements } from '../treasury/transactions/replacements.service.js';
import { TransactionEndings } from '../treasury/transactions/transaction-endings.service.js';
import { type OutcomesByPurpose, TRANSACTION_OUTCOMES } from '../treasury/transactions/transaction-outcomes.js';
import { TreasuryModule } from '../treasury/treasury.module.js';
import { VaultStatusModule } from '../vault-status/vault-status.module.js';
import { PaymentSimulator } from '../treasury/simulation/payment-simulator.service.js';
import { PayoutStateModule } from './payouts/payout-state.module.js';
import { PayoutWatch } from './payouts/payout-watch.service.js';
import { WithdrawalChecks } from './withdrawal-checks.service.js';
import { WithdrawalEndings } from './payouts/withdrawal-endings.service.js';
import { WithdrawalOperationsModule } from './withdrawal-operations.module.js';
import { WithdrawalPoliciesModule } from './policies/withdrawal-policies.module.js';
import { WithdrawalReader } from './withdrawal-reader.service.js';
import { WithdrawalSigner } from './payouts/withdrawal-signer.service.js';
import { WithdrawalsService } from './withdrawals.service.js';

/** Money out: ordered here, signed by the vault, sent and followed by the treasury. */
@Module({
  imports: [
    LedgerModule,
    NetworksModule,
    ReturnsModule,
    SanctionsModule,
    PayoutStateModule,
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
    WithdrawalSigner,
    {
      provide: TRANSACTION_OUTCOMES,
      useFactory: (
        withdrawal: WithdrawalEndings,
        sweep: SweepEndings,
        contract: ContractEndings,
        depositReturn: ReturnEndings,
        loss: LossEndings,
      ): OutcomesByPurpose => ({ withdrawal, sweep, contract, deposit_return: depositReturn, loss }),
      inject: [WithdrawalEndings, SweepEndings, ContractEndings, ReturnEndings, LossEndings],
    },
    TransactionEndings,
    Replacements,
    Broadcaster,
    Confirmer,
    PaymentSimulator,
    PayoutWatch,
  ],
  exports: [
    ReturnsModule,
    SweepsModule,
    TreasuryModule,
    WithdrawalOperationsModule,
    WithdrawalsService,
    WithdrawalReader,
    Replacements,
    WithdrawalSigner,
    Broadcaster,
    Confirmer,
    PaymentSimulator,
    PayoutWatch,
  ],
})
export class WithdrawalsModule {}
