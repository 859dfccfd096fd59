import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { AddressFamily, Environment } from '../domain/network.js';
import { CONFIG, type Config } from '../platform/config.js';
import { Database, sql, sqlOne } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import type { DerivedAddress, Vault } from '../vault/vault.js';

/** Addresses derived and stored at a time: the thread is busy for about 0.1 s, and a crash loses at most this work. */
const BATCH = 200;

/** Below this share of the target the pool is filled up again. */
const LOW_MARK = 0.75;

/** The vault derives other addresses than those in the database: it is another vault, and must not add to them. */
export class ForeignVault extends Error {
  constructor(stored: { readonly path: string; readonly address: string }, environment: Environment, derived: string) {
    super(
      `This vault is not the one that the ${environment} addresses came from: at ${stored.path} the database holds ` +
        `${stored.address}, the vault derives ${derived}. Bring back the vault file of this database; until then no ` +
        'address is derived.',
    );
    this.name = 'ForeignVault';
  }
}

interface PoolState {
  free: string;
  next_index: number;
}

/** Keeps the wallet pool at its target; runs in the vault role alone, which alone can derive. */
@Injectable()
export class PoolFiller {
  private filling: Promise<void> | null = null;
  /** Pools whose addresses are known to come from this process's vault. */
  private readonly verified = new Set<string>();

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Fills every pool that is below its mark. Calls that come while it fills share its result.
   * @throws ForeignVault when the addresses in the database came from another vault; nothing is stored then.
   */
  refill(vault: Vault, environments: readonly Environment[]): Promise<void> {
    this.filling ??= this.fillAll(vault, environments).finally(() => (this.filling = null));
    return this.filling;
  }

  private async fillAll(vault: Vault, environments: readonly Environment[]): Promise<void> {
    for (const environment of environments) await this.verify(vault, environment, 'evm');
    for (const environment of environments) await this.fill(vault, environment, 'evm');
  }

  /** Derives an address again that is known: of a pool from two seeds, one backup would save only a part. */
  private async verify(vault: Vault, environment: Environment, family: AddressFamily): Promise<void> {
    const pool = `${environment}/${family}`;
    if (this.verified.has(pool)) return;
    const [stored] = await this.database.query<{ index: number; path: string; address: string; address_key: string }>(
      `select derivation_index as index, derivation_path as path, address, address_key from pool_address
        where environment = $1 and family = $2 order by derivation_index limit 1`,
      [environment, family],
    );
    if (stored === undefined) return;
    const [derived] = await vault.deriveAddresses(environment, family, stored.index, 1);
    if (derived?.addressKey !== stored.address_key) {
      throw new ForeignVault(stored, environment, derived?.address ?? 'nothing');
    }
    this.verified.add(pool);
  }

  private async fill(vault: Vault, environment: Environment, family: AddressFamily): Promise<void> {
    const target = this.config.walletPoolTarget;
    let { free, next_index: nextIndex } = await this.state(environment, family);
    if (Number(free) >= target * LOW_MARK) return;
    while (Number(free) < target) {
      const count = Math.min(BATCH, target - Number(free));
      const derived = await vault.deriveAddresses(environment, family, nextIndex, count);
      await this.store(environment, family, derived);
      ({ free, next_index: nextIndex } = await this.state(environment, family));
    }
    this.logger.info({ environment, family, free: Number(free) }, 'wallet pool filled');
  }

  private async state(environment: Environment, family: AddressFamily): Promise<PoolState> {
    const [row] = await this.database.query<PoolState>(
      `select (select count(*) from pool_address
                where environment = $1 and family = $2 and intent_id is null and retired_at is null) as free,
              coalesce((select max(derivation_index) + 1 from pool_address
                where environment = $1 and family = $2), 0) as next_index`,
      [environment, family],
    );
    if (row === undefined) throw new Error('The state of the pool could not be read.');
    return row;
  }

  /**
   * Stores a batch under a lock, so that ids are committed in ascending order: the listener watches by "id above the
   * last one I know". Another vault process that was faster leaves nothing to insert.
   */
  private async store(
    environment: Environment,
    family: AddressFamily,
    derived: readonly DerivedAddress[],
  ): Promise<void> {
    await this.database.transaction(async (tx) => {
      await sqlOne(tx, `select pg_advisory_xact_lock(hashtextextended('pool_address', 0))`);
      await sql(
        tx,
        `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
         select $1, $2, * from unnest($3::int[], $4::text[], $5::text[], $6::text[])
         on conflict (environment, family, derivation_index) do nothing`,
        [
          environment,
          family,
          derived.map((item) => item.index),
          derived.map((item) => item.path),
          derived.map((item) => item.address),
          derived.map((item) => item.addressKey),
        ],
      );
    });
  }
}
