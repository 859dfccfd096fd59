import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Environment } from '../../domain/network.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database, row, rows, type Tx } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import type { DerivedAddress, Vault } from '../../vault/vault.js';
import {
  countFree,
  findAt,
  findFirst,
  findLevel,
  insertAddresses,
  type Pool,
  poolKey,
  takeAddingTurn,
} from './pool-addresses.sql.js';
import { deriveAgain, isSameAddress } from './stored-address.js';

/** Addresses derived and stored at a time: the thread is busy for about 0.1 s, and a crash loses at most this work. */
const BATCH = 200;

/** Below this share of the target the pool is filled up again. */
export const LOW_MARK = 0.75;

/** Stored addresses compared before a vault is rejected: one of them may have been changed, not all. */
const ORIGIN_SAMPLES = 10;

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

/** PostgreSQL returned something other than what was written: nothing of the batch is stored. */
class MisstoredAddress extends Error {
  constructor({ path, address }: DerivedAddress, environment: Environment) {
    super(`The ${environment} address at ${path} was derived as ${address} and stored as another.`);
    this.name = 'MisstoredAddress';
  }
}

/** Keeps the address pool at its target; runs only in the vault role, which alone can derive. */
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
   * @throws MisstoredAddress
   */
  refill(vault: Vault, pools: readonly Pool[]): Promise<void> {
    this.filling ??= this.fillAll(vault, pools).finally(() => (this.filling = null));
    return this.filling;
  }

  private async fillAll(vault: Vault, pools: readonly Pool[]): Promise<void> {
    for (const pool of pools) await this.assertOrigin(vault, pool);
    const { walletPoolTarget: target } = this.config;
    const low = await this.lowPools(pools, target);
    // First some for each, so that no family waits for the pools of the others.
    for (const pool of low) await this.fill(vault, pool, Math.min(BATCH, target));
    for (const pool of low) await this.fill(vault, pool, target);
  }

  /** Returns the pools below their mark, by one statement. */
  private async lowPools(pools: readonly Pool[], target: number): Promise<readonly Pool[]> {
    const levels = await this.database.rows(countFree);
    const free = new Map(levels.map((level) => [poolKey(level), Number(level.free)]));
    return pools.filter((pool) => (free.get(poolKey(pool)) ?? 0) < target * LOW_MARK);
  }

  /**
   * Derives known addresses again, once: of a pool from two seeds, one backup would save only a part.
   * @throws ForeignVault when none of them is this vault's.
   */
  async assertOrigin(vault: Vault, pool: Pool): Promise<void> {
    const { environment, family } = pool;
    const key = poolKey(pool);
    if (this.verified.has(key)) return;
    const stored = await this.database.rows(findFirst(pool, ORIGIN_SAMPLES));
    const [first] = stored;
    if (first === undefined) return;
    const derived = await deriveAgain(vault, environment, family, stored);
    if (!stored.some(({ index, addressKey }) => derived.get(index)?.addressKey === addressKey)) {
      throw new ForeignVault(first, environment, derived.get(first.index)?.address ?? 'nothing');
    }
    this.verified.add(key);
  }

  private async fill(vault: Vault, pool: Pool, target: number): Promise<void> {
    const { environment, family } = pool;
    let { free, nextIndex } = await row(this.database.em(), findLevel(pool));
    if (Number(free) >= target * LOW_MARK) return;
    let from = Number(nextIndex);
    while (Number(free) < target) {
      const count = Math.min(BATCH, target - Number(free));
      await this.store(pool, await vault.deriveAddresses(environment, family, from, count));
      ({ free, nextIndex } = await row(this.database.em(), findLevel(pool)));
      // Continue even where nothing was stored, since a changed row may occupy the index or the address.
      from = Math.max(from + count, Number(nextIndex));
    }
    this.logger.info({ environment, family, free: Number(free) }, 'Addresses were added to the pool.');
  }

  /**
   * Stores a batch under a lock, so that ids are committed in ascending order: the listener watches by "id above the
   * last one". When another vault process was faster, nothing is inserted. No other transaction sees the batch, and
   * nothing of it is assigned, before it was read back.
   */
  private async store(pool: Pool, derived: readonly DerivedAddress[]): Promise<void> {
    await this.database.transaction(async (tx) => {
      await rows(tx, takeAddingTurn);
      await rows(tx, insertAddresses(pool, derived));
      await this.readBack(tx, pool, derived);
    });
  }

  private async readBack(tx: Tx, pool: Pool, derived: readonly DerivedAddress[]): Promise<void> {
    const byIndex = new Map(derived.map((address) => [address.index, address]));
    const stored = await rows(tx, findAt(pool, [...byIndex.keys()]));
    for (const address of stored) {
      const expected = byIndex.get(address.index);
      if (expected !== undefined && !isSameAddress(address, expected)) {
        throw new MisstoredAddress(expected, pool.environment);
      }
    }
  }
}
