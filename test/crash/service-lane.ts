import { setTimeout as sleep } from 'node:timers/promises';
import { coinOf } from '../../src/chains/networks.js';
import type { EvmNetwork } from '../../src/domain/network.js';
import type { LaneAsset } from '../support/crash-lanes.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { auditBooksOf } from '../support/final-audit.js';
import { provideQuickVault } from '../support/quick-vault.js';
import { sandboxDir, type SandboxDir } from '../support/sandbox-dir.js';
import type { ServiceBuild } from '../support/service-build.js';
import { type Exit, ServiceProcess } from '../support/service-process.js';
import { query } from '../support/sql.js';

const DIES_WITHIN_MS = 120_000;
/** Each run begins by waiting for the leases of the one before it, so they are short. */
export const LEASE_TTL_MS = '1000';

/** The parts of a lane. */
export interface LanePlace {
  readonly build: ServiceBuild;
  readonly asset: LaneAsset;
  /** Environment variables of every run, in addition to those of all lanes. */
  readonly env?: Readonly<Record<string, string>>;
}

/** One data directory, database and chain over many runs of the service. The only recovery action is a restart. */
export abstract class ServiceLane {
  protected service: ServiceProcess;

  protected constructor(
    private readonly place: LanePlace,
    private readonly dir: SandboxDir,
    protected readonly db: TestDatabase,
    failpoint: string,
  ) {
    this.service = this.spawn({ FAILPOINTS: failpoint });
  }

  /** Creates a data directory with a vault, and a database. */
  protected static async ground(): Promise<{ readonly dir: SandboxDir; readonly db: TestDatabase }> {
    const dir = await sandboxDir();
    await provideQuickVault(dir.path);
    return { dir, db: await freshDatabase() };
  }

  /** Waits until the first run is ready, and prepares the state that every run needs. Cleans up when that fails. */
  protected async prepare(stock: () => Promise<void>): Promise<this> {
    try {
      await this.service.ready();
      await stock();
      return this;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  get network(): EvmNetwork {
    return this.place.asset.network;
  }

  /** The symbol of what is paid. */
  protected get symbol(): string {
    return this.place.asset.symbol;
  }

  /** The same as payments on a development chain name it; null = the coin. */
  protected get token(): string | null {
    return this.symbol === coinOf(this.network).symbol ? null : this.symbol;
  }

  async close(): Promise<void> {
    await this.service.kill();
    try {
      await auditBooksOf({ DATABASE_URL: this.db.url, DATA_DIR: this.dir.path });
    } finally {
      await this.db.drop();
      await this.dir.remove();
    }
  }

  /** Returns how this run ended, once the next one is ready, which dies at `next`. */
  protected async revived(next: string | null): Promise<Exit> {
    const armed = this.service;
    if (armed.hasEnded) throw new Error(`The service died too early: ${armed.printed}`);
    const ended = await Promise.race([armed.exited, sleep(DIES_WITHIN_MS, null, { ref: false })]);
    if (ended === null) throw new Error(`The service never came to its failpoint: ${armed.printed.slice(-2_000)}`);
    this.service = this.spawn(next === null ? {} : { FAILPOINTS: next });
    await this.service.ready();
    return ended;
  }

  protected hotWallet(): Promise<string> {
    return eventually(async () => {
      const [row] = await query<{ address: string }>(this.db.database, `select address from hot_wallet`);
      return row?.address;
    });
  }

  private spawn(env: Readonly<Record<string, string>>): ServiceProcess {
    return ServiceProcess.spawn(this.place.build, {
      dataDir: this.dir.path,
      env: {
        DATABASE_URL: this.db.url,
        DATABASE_POOL_MAX: '8',
        LEASE_TTL_MS,
        DEV_CHAINS: this.network,
        DEV_BLOCK_INTERVAL_MS: '100',
        WALLET_POOL_TARGET: '20',
        ...this.place.env,
        ...env,
      },
    });
  }
}
