import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import type { Environment } from '../../domain/network.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { JobWorkers } from '../../platform/queue/job-workers.js';
import { RUNTIME, type Runtime } from '../../platform/runtime.js';
import { LocalVault } from '../../vault/local-vault.js';
import { type Vault, VaultError } from '../../vault/vault.js';
import { DatabaseWatch } from '../../treasury/database-watch.service.js';
import { ForeignHotWallet, HotWallets } from '../../treasury/wallets/hot-wallets.service.js';
import { Replacements } from '../../treasury/transactions/replacements.service.js';
import { AddressProof } from '../../payments/addresses/address-proof.service.js';
import { ForeignVault, PoolFiller } from '../../payments/addresses/pool-filler.service.js';
import { VaultState } from '../../vault-status/vault-state.service.js';
import { ReturnSigner } from '../../suspense/refunds/return-signer.service.js';
import { SweepSigner } from '../../treasury/sweeps/sweep-signer.service.js';
import { WithdrawalSigner } from '../../withdrawals/payouts/withdrawal-signer.service.js';

/** One for each EVM network: the lock of a hot wallet lets one of a chain sign at a time. */
const JOBS_AT_ONCE = 3;

const SEALED = 'the vault stays sealed: no new addresses are derived, and withdrawals wait';

/** Opens the seed, keeps the wallet pool filled and signs. A vault that stays sealed does not keep the rest from running. */
@Injectable()
export class VaultRole implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private vault: Vault | null = null;
  private signing: Promise<void> | null = null;
  private proving: Promise<void> | null = null;

  constructor(
    private readonly filler: PoolFiller,
    private readonly proof: AddressProof,
    private readonly wallets: HotWallets,
    private readonly signer: WithdrawalSigner,
    private readonly replacements: Replacements,
    private readonly sweeps: SweepSigner,
    private readonly returns: ReturnSigner,
    private readonly databaseWatch: DatabaseWatch,
    private readonly state: VaultState,
    private readonly workers: JobWorkers,
    private readonly database: Database,
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.wallets.distrustCounts();
    await this.open();
    await this.workers.start(
      'vault',
      {
        'wallets.refill': () => this.refill(),
        'withdrawals.sign': ({ withdrawalId }) =>
          this.use(async (vault) => void (await this.signer.sign(vault, withdrawalId))),
        'treasury.replace': ({ transactionId }) => this.use((vault) => this.replacements.sign(vault, transactionId)),
      },
      JOBS_AT_ONCE,
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.seal();
  }

  /** The sweep behind the wakes: it also fills the pool of an environment whose chains have just been registered. */
  @Interval(2_000)
  async sweep(): Promise<void> {
    await this.refill().catch((error: unknown) => this.logger.error({ err: error }, 'the wallet pool was not filled'));
  }

  /** The sweep behind the wakes of signing: also what had to wait for coins, fees, a limit or an open vault. */
  @Interval(1_000)
  async sign(): Promise<void> {
    this.signing ??= this.signAll()
      .catch((error: unknown) => this.logger.error({ err: error }, 'not everything was signed'))
      .finally(() => (this.signing = null));
    await this.signing;
  }

  /** Derives stored addresses again, beside everything else: what is signed meanwhile waits for one batch at most. */
  @Interval(5_000)
  async prove(): Promise<void> {
    this.proving ??= this.use(async (vault) => this.proof.look(vault, await this.environments()))
      .catch((error: unknown) => this.logger.error({ err: error }, 'the stored addresses were not derived again'))
      .finally(() => (this.proving = null));
    await this.proving;
  }

  private async signAll(): Promise<void> {
    await this.databaseWatch.look();
    await this.use((vault) => this.replacements.signWanted(vault));
    await this.use((vault) => this.signer.signWaiting(vault));
    await this.use((vault) => this.returns.signWaiting(vault));
    await this.use((vault) => this.sweeps.signWaiting(vault));
  }

  private refill(): Promise<void> {
    return this.use(async (vault) => {
      await this.filler.refill(vault, await this.environments());
      await this.wallets.provide(vault);
    });
  }

  /** Those whose chains are served. */
  private async environments(): Promise<readonly Environment[]> {
    const rows = await this.database.query<{ environment: Environment }>(
      `select distinct environment from chain where active`,
    );
    return rows.map((row) => row.environment);
  }

  /**
   * Does nothing while the vault is sealed: what waits for it is found by the sweep once it is open. Seals one that has
   * stopped or is another's: it must not be called open while nothing is signed.
   */
  private async use(work: (vault: Vault) => Promise<void>): Promise<void> {
    if (this.vault === null) return;
    try {
      await work(this.vault);
    } catch (error) {
      if (!(error instanceof ForeignVault || error instanceof ForeignHotWallet || error instanceof VaultError))
        throw error;
      // Both last until the next start; calls that shared this one, or came while the process stops, find it sealed.
      if (this.vault === null) return;
      this.logger.fatal({ err: error }, SEALED);
      this.state.sealedBecause = error.message;
      await this.seal();
    }
  }

  private async open(): Promise<void> {
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

  private async seal(): Promise<void> {
    const { vault } = this;
    this.vault = null;
    this.state.isOpen = false;
    await vault?.close();
  }
}
