import { Module } from '@nestjs/common';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { SanctionsModule } from '../../sanctions/sanctions.module.js';
import { TreasuryModule } from '../../treasury/treasury.module.js';
import { ReturnOutcomeHandler } from './return-outcome-handler.service.js';
import { ReturnReader } from './return-reader.service.js';
import { ReturnSigner } from './return-signer.service.js';

/** Unattributed deposits that staff have paid out to an address. They order by commands; the vault signs. */
@Module({
  imports: [LedgerModule, SanctionsModule, TreasuryModule],
  providers: [ReturnOutcomeHandler, ReturnReader, ReturnSigner],
  exports: [ReturnOutcomeHandler, ReturnReader, ReturnSigner],
})
export class ReturnsModule {}
