import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { LeaseKeeper } from '../../platform/leases.js';
import { LOGGER } from '../../platform/logging.js';
import { PaymentSimulator } from '../../treasury/simulation/payment-simulator.service.js';

const LEASE = 'simulations';

/**
 * Has one worker simulate the payments that are due. Its lease is its own: a worker of the version before, which may hold
 * that of the scheduler during an update, does not simulate, and nothing would be signed.
 */
@Injectable()
export class SimulationsDuty implements OnApplicationBootstrap {
  private isBusy = false;

  constructor(
    @Inject(PaymentSimulator) private readonly simulator: Pick<PaymentSimulator, 'simulateDue'>,
    private readonly leases: LeaseKeeper,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.leases.campaign(LEASE, { onElected: () => void this.simulate(), onLost: () => undefined });
  }

  /** One round at a time; a failing one is logged and repeated at the next interval. */
  @Interval(1_000)
  async simulate(): Promise<void> {
    if (this.isBusy || !this.leases.holds(LEASE)) return;
    this.isBusy = true;
    try {
      await this.simulator.simulateDue();
    } catch (error) {
      this.logger.error({ round: 'simulations', err: error }, 'a recurring duty failed');
    } finally {
      this.isBusy = false;
    }
  }
}
