import { type BeforeApplicationShutdown, Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { NetworksModule } from '../../offers/networks.module.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { DepositRecorder } from './deposit-recorder.service.js';
import { ListenerService } from './listener.service.js';
import { NodeStates } from './node-states.service.js';

/** Turns chain facts into deposits, in processes with the role `listener`. */
@Module({
  imports: [LedgerModule, NetworksModule],
  providers: [DepositRecorder, ListenerService, NodeStates],
})
export class ListenerModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'roles'>,
    private readonly listeners: ListenerService,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.roles.has('listener')) this.listeners.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.config.roles.has('listener')) await this.listeners.stop();
  }
}
