import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { ForeignVault } from '../../payments/addresses/pool-filler.service.js';
import { LOGGER } from '../../platform/logging.js';
import { RUNTIME, type Runtime } from '../../platform/runtime.js';
import { ForeignHotWallet } from '../../treasury/wallets/hot-wallets.service.js';
import { type Vault, VaultError } from '../../vault/vault.js';
import { VaultState } from '../../vault-status/vault-state.service.js';

const SEALED = 'The vault is sealed. No new addresses are derived, and withdrawals wait.';

/**
 * The vault of this process, open from start to stop. Only processes with the vault role have one. A sealed vault does
 * not stop the rest of the process.
 */
@Injectable()
export class OpenVault implements OnModuleInit, BeforeApplicationShutdown {
  private vault: Vault | null = null;

  constructor(
    private readonly state: VaultState,
    @Inject(RUNTIME) private readonly runtime: Pick<Runtime, 'vault'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    if (this.runtime.vault === null) {
      this.logger.fatal({ cause: 'VAULT_PASSPHRASE is not set' }, SEALED);
      this.state.sealedBecause = 'VAULT_PASSPHRASE is not set.';
      return;
    }
    try {
      this.vault = await this.runtime.vault.opened;
      this.state.isOpen = true;
    } catch (error) {
      this.logger.fatal({ err: error }, SEALED);
      this.state.sealedBecause = error instanceof VaultError ? error.message : 'It could not be opened.';
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.seal();
  }

  /**
   * Runs `work` with the open vault, and does nothing while it is sealed: recurring jobs find the work again. A vault that
   * has crashed, or that did not derive the addresses of the database, is sealed until the next start.
   */
  async use(work: (vault: Vault) => Promise<void>): Promise<void> {
    if (this.vault === null) return;
    try {
      await work(this.vault);
    } catch (error) {
      if (!(error instanceof ForeignVault || error instanceof ForeignHotWallet || error instanceof VaultError))
        throw error;
      // Another run has sealed the vault because of the same failure, or the process is stopping.
      if (this.vault === null) return;
      this.logger.fatal({ err: error }, SEALED);
      this.state.sealedBecause = error.message;
      await this.seal();
    }
  }

  private async seal(): Promise<void> {
    const { vault } = this;
    this.vault = null;
    this.state.isOpen = false;
    await vault?.close();
  }
}
