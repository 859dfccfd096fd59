import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { AddressFamily, Environment } from '../../domain/network.js';
import { Database, sql, sqlOne } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import type { DerivedAddress, Vault } from '../../vault/vault.js';
import { PoolFiller } from './pool-filler.service.js';
import { DERIVED_COLUMNS, deriveAgain, isSameAddress } from './stored-address.js';

const FAMILY: AddressFamily = 'evm';
/** Derived between two signatures at most: an address takes 0.5 to 1 ms of the vault's thread. */
const BATCH = 50;
/** Of all addresses ever stored, so many at each look: every five seconds, that is 0.1 % of a core and 86,000 a day. */
const WALK = 5;
/** After all were walked. */
const WALK_AGAIN_MS = 3_600_000;
/** What is free is derived again so often: at the usual target that is 0.3 % of a core. */
const FREE_AGAIN_MS = 600_000;
/** Below every index that a column can hold. */
const BEFORE_ALL = '-2147483649';

interface StoredRow extends DerivedAddress {
  readonly id: string;
  readonly created: string;
}

/**
 * Derives stored addresses again, since money sent to one that has no key is lost: everything that is free when the vault
 * opens and every ten minutes, and slowly everything that was ever stored. One that differs leaves the pool for good.
 * Runs in the vault role alone.
 */
@Injectable()
export class AddressProof {
  /** When everything free was last proven, by environment. */
  private readonly freeProvenAt = new Map<Environment, number>();
  /** The index that the walk has come to. */
  private readonly walkedTo = new Map<Environment, number>();
  /** When the walk came to the end, by environment. */
  private readonly walkedAt = new Map<Environment, number>();

  constructor(
    private readonly database: Database,
    private readonly filler: PoolFiller,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * One look: what is free, if it is time, in batches between which the vault answers others; and the next few of all.
   * @throws ForeignVault when the addresses came from another vault; none of them is called wrong then.
   */
  async look(vault: Vault, environments: readonly Environment[]): Promise<void> {
    for (const environment of environments) {
      await this.filler.assertOrigin(vault, environment, FAMILY);
      const provenAt = this.freeProvenAt.get(environment);
      if (provenAt === undefined || performance.now() - provenAt >= FREE_AGAIN_MS) {
        await this.proveFree(vault, environment);
        this.freeProvenAt.set(environment, performance.now());
      }
      await this.walkOn(vault, environment);
    }
  }

  /** In the order in which they are handed out. */
  private async proveFree(vault: Vault, environment: Environment): Promise<void> {
    let last: Pick<StoredRow, 'id' | 'created'> | undefined = { id: '0', created: '-infinity' };
    while (last !== undefined) {
      const rows: readonly StoredRow[] = await this.database.query<StoredRow>(
        `select id, created_at::text as created, ${DERIVED_COLUMNS} from pool_address
          where environment = $1 and family = $2 and intent_id is null and retired_at is null
            and (created_at, id) > ($3::timestamptz, $4::bigint) order by created_at, id limit $5`,
        [environment, FAMILY, last.created, last.id, BATCH],
      );
      await this.prove(vault, environment, rows);
      last = rows.at(BATCH - 1);
    }
  }

  private async walkOn(vault: Vault, environment: Environment): Promise<void> {
    if (performance.now() - (this.walkedAt.get(environment) ?? -Infinity) < WALK_AGAIN_MS) return;
    const rows = await this.database.query<StoredRow>(
      `select id, created_at::text as created, ${DERIVED_COLUMNS} from pool_address
        where environment = $1 and family = $2 and derivation_index > $3::bigint order by derivation_index limit $4`,
      [environment, FAMILY, this.walkedTo.get(environment) ?? BEFORE_ALL, WALK],
    );
    await this.prove(vault, environment, rows);
    const last = rows.at(WALK - 1);
    if (last === undefined) {
      this.walkedTo.delete(environment);
      this.walkedAt.set(environment, performance.now());
    } else this.walkedTo.set(environment, last.index);
  }

  private async prove(vault: Vault, environment: Environment, rows: readonly StoredRow[]): Promise<void> {
    const derived = await deriveAgain(vault, environment, FAMILY, rows);
    for (const row of rows) {
      const again = derived.get(row.index);
      if (!isSameAddress(row, again)) await this.disprove(environment, row, again?.address ?? null);
    }
  }

  /** Writes it down and takes it off the pool, once. One that an intent has stays that intent's. */
  private async disprove(environment: Environment, row: StoredRow, derived: string | null): Promise<void> {
    const found = await this.database.transaction(async (tx) => {
      const { intent_id: intentId } = await sqlOne<{ intent_id: string | null }>(
        tx,
        `select intent_id from pool_address where id = $1 for update`,
        [row.id],
      );
      const [written] = await sql(
        tx,
        `insert into disproved_address
           (address_id, derivation_index, derivation_path, address, address_key, derived_address)
         values ($1, $2, $3, $4, $5, $6) on conflict (address_id) do nothing returning address_id`,
        [row.id, row.index, row.path, row.address, row.addressKey, derived],
      );
      await sql(
        tx,
        `update pool_address set retired_at = now() where id = $1 and intent_id is null and retired_at is null`,
        [row.id],
      );
      return written === undefined ? null : { intentId };
    });
    if (found === null) return;
    const { path, address } = row;
    this.logger.fatal(
      { environment, path, address, derived, intentId: found.intentId },
      'a stored address is not the one that the vault derives: it is never handed out',
    );
  }
}
