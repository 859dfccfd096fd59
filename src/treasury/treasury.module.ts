import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { NetworksModule } from '../offers/networks.module.js';
import { PricingModule } from '../pricing/pricing.module.js';
import { DatabaseWatch } from './database-watch.service.js';
import { FeeQuotes } from './fees/fee-quotes.service.js';
import { FeeRounds } from './fees/fee-rounds.service.js';
import { HotBalances } from './wallets/hot-balances.service.js';
import { HotWallets } from './wallets/hot-wallets.service.js';
import { IssuerFreezes } from './wallets/issuer-freezes.service.js';
import { LossEndings } from './transactions/loss-endings.service.js';
import { LostTransactions } from './transactions/lost-transactions.service.js';
import { StuckTransactions } from './transactions/stuck-transactions.service.js';
import { TopUps } from './wallets/top-ups.service.js';
import { WalletOperationsModule } from './wallets/wallet-operations.module.js';
import { TransactionSigning } from './transactions/transaction-signing.service.js';
import { TreasuryChainsModule } from './treasury-chains.module.js';

/**
 * Our own money on chains: hot wallets, what gas costs, outgoing transactions. Broadcaster, confirmer, endings and
 * replacements are provided where their `TRANSACTION_OUTCOMES` is bound, because this module knows nobody who is paid.
 */
@Module({
  imports: [LedgerModule, NetworksModule, PricingModule, TreasuryChainsModule, WalletOperationsModule],
  providers: [
    DatabaseWatch,
    FeeRounds,
    FeeQuotes,
    HotBalances,
    HotWallets,
    IssuerFreezes,
    LossEndings,
    LostTransactions,
    TransactionSigning,
    StuckTransactions,
    TopUps,
  ],
  exports: [
    TreasuryChainsModule,
    WalletOperationsModule,
    DatabaseWatch,
    FeeRounds,
    FeeQuotes,
    HotBalances,
    HotWallets,
    IssuerFreezes,
    LossEndings,
    LostTransactions,
    TransactionSigning,
    StuckTransactions,
    TopUps,
  ],
})
export class TreasuryModule {}
