import { Module } from '@nestjs/common';
import { ChainRegistrationService } from './chain-registration.service.js';
import { NetworkViews } from './network-views.service.js';

/** Which chains there are and how they fare. */
@Module({
  providers: [NetworkViews, ChainRegistrationService],
  exports: [NetworkViews, ChainRegistrationService],
})
export class NetworksModule {}
