import { Module } from '@nestjs/common';
import { TreasuryChainsModule } from '../treasury/treasury-chains.module.js';
import { RestoreModule } from './restore.module.js';
import { UnrecordedMarksReader } from './unrecorded-marks.service.js';

/** Asks chains for unrecorded transactions before staff decide about money. */
@Module({
  imports: [RestoreModule, TreasuryChainsModule],
  providers: [UnrecordedMarksReader],
  exports: [UnrecordedMarksReader],
})
export class UnrecordedMarksModule {}
