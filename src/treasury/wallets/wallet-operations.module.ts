import { Module } from '@nestjs/common';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { HotWalletReader } from './hot-wallet-reader.service.js';
import { Discrepancies } from './discrepancies.service.js';
import { TopUpReader } from './top-up-reader.service.js';

/** What hot wallets hold, received and lack: staff read it, and write off what is missing. */
@Module({
  imports: [LedgerModule],
  providers: [HotWalletReader, Discrepancies, TopUpReader],
  exports: [HotWalletReader, Discrepancies, TopUpReader],
})
export class WalletOperationsModule {}
