import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import type { Environment } from '../domain/network.js';
import { Database } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { JobWorkers } from '../platform/queue/job-workers.js';
import { RUNTIME, type Runtime } from '../platform/runtime.js';
import { LocalVault } from '../vault/local-vault.js';
import { type Vault, VaultError } from '../vault/vault.js';
import { ForeignVault, PoolFiller } from '../wallets/pool-filler.service.js';
import { VaultState } from '../wallets/vault-state.service.js';

const SEALED = 'the vault stays sealed: no new addresses are derived';

/** Opens the seed and keeps the wallet pool filled. A vault that stays sealed does not keep the rest from running. */
@Injectable()
export class VaultRole implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private vault: Vault | null = null;

  constructor(
    private readonly filler: PoolFiller,
    private readonly state: VaultState,
    private readonly workers: JobWorkers,
    private readonly database: Database,
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.open();
    await this.workers.start('vault', { 'wallets.refill': () => this.refill() }, 1);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.seal();
  }

  /** The sweep behind the wakes: it also fills the pool of an environment whose chains have just been registered. */
  @Interval(2_000)
  async sweep(): Promise<void> {
    await this.refill().catch((error: unknown) => this.logger.error({ err: error }, 'the wallet pool was not filled'));
  }

  private async refill(): Promise<void> {
    if (this.vault === null) return;
    const rows = await this.database.query<{ environment: Environment }>(
      `select distinct environment from chain where active`,
    );
    const environments = rows.map((row) => row.environment);
    try {
      await this.filler.refill(this.vault, environments);
    } catch (error) {
      if (!(error instanceof ForeignVault || error instanceof VaultError)) throw error;
      // Both last until the next start; calls that shared this one, or came while the process stops, find it sealed.
      if (this.vault === null) return;
      this.logger.fatal({ err: error }, SEALED);
      await this.seal();
    }
  }

  private async open(): Promise<void> {
    if (this.runtime.vault === null) return;
    try {
      this.vault = await LocalVault.open(this.runtime.vault.path, this.runtime.vault.passphrase);
      this.state.isOpen = true;
    } catch (error) {
      this.logger.fatal({ err: error }, SEALED);
    }
  }

  private async seal(): Promise<void> {
    const { vault } = this;
    this.vault = null;
    this.state.isOpen = false;
    await vault?.close();
  }
}
