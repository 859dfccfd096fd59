import { Module } from '@nestjs/common';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { HotWalletReader } from './hot-wallet-reader.service.js';
import { Discrepancies } from './discrepancies.service.js';
import { TopUpReader } from './top-up-reader.service.js';
import { WalletComparisons } from './wallet-comparisons.service.js';

/** Balances, top-ups and discrepancies of hot wallets: operators read them and write off missing funds. */
@Module({
  imports: [LedgerModule],
  providers: [HotWalletReader, Discrepancies, TopUpReader, WalletComparisons],
  exports: [HotWalletReader, Discrepancies, TopUpReader, WalletComparisons],
})
export class WalletOperationsModule {}
