import { Module } from '@nestjs/common';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { NetworksModule } from '../../offers/networks.module.js';
import { DepositRecorder } from '../deposits/deposit-recorder.service.js';
import { ListenerService } from './listener.service.js';

/** Chain facts become deposits. */
@Module({
  imports: [LedgerModule, NetworksModule],
  providers: [DepositRecorder, ListenerService],
  exports: [ListenerService],
})
export class DepositsModule {}
