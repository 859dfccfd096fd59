import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Environment } from '../../domain/network.js';
import { Database, row, rows } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import type { Vault } from '../../vault/vault.js';
import type { RowOf } from '../../platform/sql/sql.js';
import {
  findFreeAfter,
  findUsedAfter,
  insertDisproved,
  lockAddress,
  type Pool,
  poolKey,
  retireAddress,
} from './pool-addresses.sql.js';
import { PoolFiller } from './pool-filler.service.js';
import { deriveAgain, isSameAddress } from './stored-address.js';

/** Maximum number derived between two signatures: an address takes 0.5 to 1 ms of the vault's thread. */
const BATCH = 50;
/** Used addresses checked per run: every five seconds, that is 0.1 % of a core and 86,000 a day. */
const WALK = 5;
/** Pause after all used addresses were checked. */
const WALK_AGAIN_MS = 3_600_000;
/** Time between two checks of the free addresses: at the usual target they take 0.3 % of a core. */
const FREE_AGAIN_MS = 600_000;
/** Below every index that a column can hold. */
const BEFORE_ALL = '-2147483649';

type StoredRow = RowOf<typeof findFreeAfter>;

/**
 * Derives stored addresses again, since money sent to an address without a key is lost: all free addresses when the
 * vault opens and every ten minutes, and slowly all that were ever used. An address that differs leaves the pool for
 * good. Runs only in the vault role.
 */
@Injectable()
export class AddressProof {
  /** When everything free was last proven, by pool. */
  private readonly freeProvenAt = new Map<string, number>();
  /** The index that the walk has reached, by pool. */
  private readonly walkedTo = new Map<string, number>();
  /** When the walk last reached the end, by pool. */
  private readonly walkedAt = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly filler: PoolFiller,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Checks the free addresses, if it is time, in batches between which the vault serves others; then the next few of
   * those that are assigned or retired.
   * @throws ForeignVault when the addresses came from another vault; none of them is called wrong then.
   */
  async check(vault: Vault, pools: readonly Pool[]): Promise<void> {
    for (const pool of pools) {
      await this.filler.assertOrigin(vault, pool);
      const provenAt = this.freeProvenAt.get(poolKey(pool));
      if (provenAt === undefined || performance.now() - provenAt >= FREE_AGAIN_MS) {
        await this.proveFree(vault, pool);
        this.freeProvenAt.set(poolKey(pool), performance.now());
      }
      await this.walkOn(vault, pool);
    }
  }

  /** Proves the free addresses in the order of their assignment. */
  private async proveFree(vault: Vault, pool: Pool): Promise<void> {
    let last: Pick<StoredRow, 'id' | 'created'> | undefined = { id: '0', created: '-infinity' };
    while (last !== undefined) {
      const found: readonly StoredRow[] = await this.database.rows(findFreeAfter(pool, last, BATCH));
      await this.prove(vault, pool, found);
      last = found.at(BATCH - 1);
    }
  }

  private async walkOn(vault: Vault, pool: Pool): Promise<void> {
    const key = poolKey(pool);
    if (performance.now() - (this.walkedAt.get(key) ?? -Infinity) < WALK_AGAIN_MS) return;
    const after = this.walkedTo.get(key) ?? BEFORE_ALL;
    const found = await this.database.rows(findUsedAfter(pool, after, WALK));
    await this.prove(vault, pool, found);
    const last = found.at(WALK - 1);
    if (last === undefined) {
      this.walkedTo.delete(key);
      this.walkedAt.set(key, performance.now());
    } else this.walkedTo.set(key, last.index);
  }

  private async prove(vault: Vault, { environment, family }: Pool, stored: readonly StoredRow[]): Promise<void> {
    const derived = await deriveAgain(vault, environment, family, stored);
    for (const one of stored) {
      const again = derived.get(one.index);
      if (!isSameAddress(one, again)) await this.disprove(environment, one, again?.address ?? null);
    }
  }

  /** Records the mismatch and takes the address off the pool, once. An assigned address stays with its intent. */
  private async disprove(environment: Environment, stored: StoredRow, derived: string | null): Promise<void> {
    const found = await this.database.transaction(async (tx) => {
      const { intentId } = await row(tx, lockAddress(stored.id));
      const [written] = await rows(tx, insertDisproved(stored, derived));
      await rows(tx, retireAddress(stored.id));
      return written === undefined ? null : { intentId };
    });
    if (found === null) return;
    const { path, address } = stored;
    this.logger.fatal(
      { environment, path, address, derived, intentId: found.intentId },
      'A stored address differs from the one that the vault derives: it is never assigned.',
    );
  }
}
