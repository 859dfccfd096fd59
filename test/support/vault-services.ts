import type { Logger } from 'pino';
import { EventsService } from '../../src/events/events.service.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import type { Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { Metrics } from '../../src/platform/metrics.js';
import type { JobQueue } from '../../src/platform/queue/job-queue.js';
import { RefundOutcomeHandler } from '../../src/suspense/refunds/refund-outcome-handler.service.js';
import type { WaitingReason } from '../../src/domain/outgoing-payment.js';
import type { RefundWaitingReason } from '../../src/suspense/refunds/refund-standing.js';
import { UnsignedRefunds } from '../../src/suspense/refunds/unsigned-refunds.service.js';
import { SanctionsList } from '../../src/sanctions/sanctions-list.service.js';
import { ReturnedRents } from '../../src/treasury/sweeps/expiring/returned-rents.service.js';
import { EnergyLoanOutcomeHandler } from '../../src/treasury/sweeps/energy/energy-loan-outcome-handler.service.js';
import { EnergyReturnOutcomeHandler } from '../../src/treasury/sweeps/energy/energy-return-outcome-handler.service.js';
import { StakeOutcomeHandler } from '../../src/treasury/stakes/stake-outcome-handler.service.js';
import { FundingOutcomeHandler } from '../../src/treasury/sweeps/funding/funding-outcome-handler.service.js';
import { SweepOutcomeHandler } from '../../src/treasury/sweeps/sweep-outcome-handler.service.js';
import { SweepSigner } from '../../src/treasury/sweeps/sweep-signer.service.js';
import { DatabaseIdentityCheck } from '../../src/treasury/database-identity-check.service.js';
import { HotBalances } from '../../src/treasury/wallets/hot-balances.service.js';
import { HotWallets } from '../../src/treasury/wallets/hot-wallets.service.js';
import type { OutcomeHandlers } from '../../src/treasury/transactions/outcome-handler.js';
import { LossOutcomeHandler } from '../../src/treasury/transactions/loss-outcome-handler.service.js';
import { Replacements } from '../../src/treasury/transactions/replacements.service.js';
import { PaymentSigner } from '../../src/treasury/transactions/payment-signer.service.js';
import { TransactionSigner } from '../../src/treasury/transactions/transaction-signer.service.js';
import { TreasuryChains } from '../../src/treasury/treasury-chains.service.js';
import { WithdrawalOutcomeHandler } from '../../src/withdrawals/payouts/withdrawal-outcome-handler.service.js';
import { WithdrawalPolicies } from '../../src/withdrawals/policies/withdrawal-policies.service.js';
import { UnsignedWithdrawals } from '../../src/withdrawals/payouts/unsigned-withdrawals.service.js';
import { hotWalletCap } from './hot-wallet-cap.js';
import { forEveryPurpose } from './outcomes.js';
import { PaymentSpecSigner, SweepSpecSigner } from './spec-signer.js';

/** The services of the vault role except derivation, wired like in the modules. */
export interface VaultServices {
  readonly wallets: HotWallets;
  readonly signer: PaymentSpecSigner<WaitingReason>;
  readonly payments: PaymentSigner;
  readonly withdrawals: UnsignedWithdrawals;
  readonly replacements: Replacements;
  readonly sweeps: SweepSpecSigner;
  readonly sweepSigner: SweepSigner;
  readonly outcomes: OutcomeHandlers;
  readonly withdrawalOutcomes: WithdrawalOutcomeHandler;
  readonly refunds: PaymentSpecSigner<RefundWaitingReason>;
  readonly unsignedRefunds: UnsignedRefunds;
  readonly refundOutcomes: RefundOutcomeHandler;
  readonly databaseIdentity: DatabaseIdentityCheck;
}

/**
 * The vault's services on a database, without nodes: the vault calls none.
 * @param capCents the cap of a hot wallet; 0 = no cap
 */
export function vaultServices(
  database: Database,
  queue: JobQueue,
  logger: Logger = createLogger('silent'),
  capCents = 0,
): VaultServices {
  const runtime = { databaseUrl: '', secretsKey: '', vault: null, chains: [], devChains: [], baseUrl: () => '' };
  const chains = new TreasuryChains(database, runtime, logger);
  const balances = new HotBalances(database, new Metrics(), chains, logger);
  const sanctions = new SanctionsList(database);
  const withdrawalOutcomes = new WithdrawalOutcomeHandler(
    database,
    new LedgerService(),
    new EventsService(queue),
    sanctions,
  );
  const refundOutcomes = new RefundOutcomeHandler(database, new LedgerService(), sanctions);
  const databaseIdentity = new DatabaseIdentityCheck(database, logger);
  const signing = new TransactionSigner(balances, databaseIdentity, queue);
  const withdrawals = new UnsignedWithdrawals(new WithdrawalPolicies(), withdrawalOutcomes, logger);
  const unsignedRefunds = new UnsignedRefunds(refundOutcomes, logger);
  const paymentsWith = (log: Logger) => new PaymentSigner(database, sanctions, signing, log);
  const sweepsWith = (log: Logger) => new SweepSigner(database, signing, hotWalletCap(database, capCents), log);
  const sweep = new SweepOutcomeHandler(database, new Metrics(), new ReturnedRents(new LedgerService()), logger);
  const loss = new LossOutcomeHandler(new LedgerService());
  const funding = new FundingOutcomeHandler();
  const energy = { energy_loan: new EnergyLoanOutcomeHandler(), energy_return: new EnergyReturnOutcomeHandler() };
  const stake = new StakeOutcomeHandler(database);
  const others = { deposit_return: refundOutcomes, sweep, loss, funding, stake, ...energy };
  const outcomes = { ...forEveryPurpose(withdrawalOutcomes), ...others };
  return {
    databaseIdentity,
    outcomes,
    withdrawalOutcomes,
    refundOutcomes,
    payments: paymentsWith(logger),
    withdrawals,
    unsignedRefunds,
    sweepSigner: sweepsWith(logger),
    refunds: new PaymentSpecSigner<RefundWaitingReason>(database, logger, paymentsWith, unsignedRefunds),
    sweeps: new SweepSpecSigner(database, logger, sweepsWith),
    wallets: new HotWallets(database),
    replacements: new Replacements(database, balances, signing, outcomes, logger),
    signer: new PaymentSpecSigner<WaitingReason>(database, logger, paymentsWith, withdrawals),
  };
}
