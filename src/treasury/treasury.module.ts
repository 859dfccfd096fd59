import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { NetworksModule } from '../offers/networks.module.js';
import { PricingModule } from '../pricing/pricing.module.js';
import { SanctionsModule } from '../sanctions/sanctions.module.js';
import { DatabaseIdentityCheck } from './database-identity-check.service.js';
import { ConditionSamples } from './expiring/condition-samples.service.js';
import { ExpiringBalances } from './expiring/expiring-balances.service.js';
import { SentCheck } from './expiring/sent-check.service.js';
import { FeeQuotes } from './fees/fee-quotes.service.js';
import { GasPriceSamples } from './fees/gas-price-samples.service.js';
import { HotBalances } from './wallets/hot-balances.service.js';
import { HotWallets } from './wallets/hot-wallets.service.js';
import { IssuerFreezes } from './wallets/issuer-freezes.service.js';
import { LossOutcomeHandler } from './transactions/loss-outcome-handler.service.js';
import { DroppedTransactions } from './transactions/dropped-transactions.service.js';
import { StuckTransactions } from './transactions/stuck-transactions.service.js';
import { TopUps } from './wallets/top-ups.service.js';
import { PaymentSigner } from './transactions/payment-signer.service.js';
import { WalletOperationsModule } from './wallets/wallet-operations.module.js';
import { TransactionSigner } from './transactions/transaction-signer.service.js';
import { TreasuryChainsModule } from './treasury-chains.module.js';

/**
 * Our own funds on chains: hot wallets, gas prices, outgoing transactions. `PayoutsModule` provides those of its services
 * that call the handlers of orders, since this room does not import the rooms of the orders.
 */
@Module({
  imports: [LedgerModule, NetworksModule, PricingModule, SanctionsModule, TreasuryChainsModule, WalletOperationsModule],
  providers: [
    DatabaseIdentityCheck,
    GasPriceSamples,
    ConditionSamples,
    ExpiringBalances,
    SentCheck,
    FeeQuotes,
    HotBalances,
    HotWallets,
    IssuerFreezes,
    LossOutcomeHandler,
    DroppedTransactions,
    TransactionSigner,
    PaymentSigner,
    StuckTransactions,
    TopUps,
  ],
  exports: [
    TreasuryChainsModule,
    WalletOperationsModule,
    DatabaseIdentityCheck,
    FeeQuotes,
    HotBalances,
    HotWallets,
    IssuerFreezes,
    LossOutcomeHandler,
    DroppedTransactions,
    TransactionSigner,
    PaymentSigner,
    StuckTransactions,
    TopUps,
  ],
})
export class TreasuryModule {}
