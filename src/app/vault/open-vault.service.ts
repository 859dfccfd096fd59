import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { ForeignVault } from '../../payments/addresses/pool-filler.service.js';
import { LOGGER } from '../../platform/logging.js';
import { RUNTIME, type Runtime } from '../../platform/runtime.js';
import { ForeignHotWallet } from '../../treasury/wallets/hot-wallets.service.js';
import { LocalVault } from '../../vault/local-vault.js';
import { type Vault, VaultError } from '../../vault/vault.js';
import { VaultState } from '../../vault-status/vault-state.service.js';

const SEALED = 'The vault stays sealed: no new addresses are derived, and withdrawals wait.';

/**
 * The vault of this process, open from its start to its stop. Only processes with the vault role have one. A vault that
 * stays sealed does not keep the rest from running.
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
      this.vault = await LocalVault.open(this.runtime.vault.path, this.runtime.vault.passphrase);
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
   * Does the work with the open vault, and nothing while it is sealed: recurring jobs find that work again. A vault that
   * has died, or that is not the one that the database's addresses came from, is sealed until the next start.
   */
  async use(work: (vault: Vault) => Promise<void>): Promise<void> {
    if (this.vault === null) return;
    try {
      await work(this.vault);
    } catch (error) {
      if (!(error instanceof ForeignVault || error instanceof ForeignHotWallet || error instanceof VaultError))
        throw error;
      // Work that shared this failure, or that came while the process stops, finds the vault sealed already.
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
