import { Metrics } from '../../src/platform/metrics.js';
import { ExpiringSimulator } from '../../src/treasury/expiring/expiring-simulator.service.js';
import { HotBalances } from '../../src/treasury/wallets/hot-balances.service.js';
import { IssuerFreezes } from '../../src/treasury/wallets/issuer-freezes.service.js';
import { VaultHeartbeat } from '../../src/vault-status/vault-heartbeat.service.js';
import { VaultState } from '../../src/vault-status/vault-state.service.js';
import { ExpiringWorker, type WorkerPlace } from './expiring-worker.js';
import { RecordingQueue } from './recording-queue.js';

/** The jobs of a worker that pays where transactions expire. */
export class ExpiringTreasury extends ExpiringWorker {
  private readonly simulator: ExpiringSimulator;
  private readonly freezes: IssuerFreezes;

  constructor(place: WorkerPlace) {
    super(place);
    const { chains, logger } = this;
    const { database } = place;
    const vault = new VaultHeartbeat(database, Object.assign(new VaultState(), { isOpen: true }), logger);
    const hotBalances = new HotBalances(database, new Metrics(), chains, logger);
    const { queue } = new RecordingQueue();
    this.simulator = new ExpiringSimulator(database, hotBalances, vault, chains, queue, logger);
    this.freezes = new IssuerFreezes(database, chains, logger);
  }

  async simulate(): Promise<void> {
    await this.readConditions();
    await this.simulator.simulateDue();
  }

  checkFreezes(): Promise<void> {
    return this.freezes.check();
  }
}
