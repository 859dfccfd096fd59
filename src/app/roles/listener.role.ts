import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ListenerService } from '../../payments/listener/listener.service.js';

/** Reads chains. */
@Injectable()
export class ListenerRole implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(private readonly listeners: ListenerService) {}

  onApplicationBootstrap(): void {
    this.listeners.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.listeners.stop();
  }
}
