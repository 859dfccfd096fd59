import type { AddressFamily, Environment } from '../domain/network.js';
import type { Database } from '../platform/database/database.js';
import { AddressTable } from './address-table.js';

/** Rows per query: a large pool is read in slices, so that other work has its turn in between. */
const LOAD_BATCH = 10_000;

/**
 * Every address of a family in an environment, in memory, once for all chains of the family. The pool is filled by one
 * writer at a time and never shrinks, so "rows with a higher id" is all that is new; free addresses are watched too,
 * since money that reaches one must not be overlooked.
 */
export class WatchedAddresses {
  private readonly keys = new AddressTable();
  private lastId = 0;

  constructor(
    private readonly database: Database,
    private readonly environment: Environment,
    private readonly family: AddressFamily,
  ) {}

  /** Loads what is new and answers with the membership test. */
  async refresh(): Promise<(address: string) => boolean> {
    for (;;) {
      const rows = await this.database.query<{ id: string; address_key: string }>(
        `select id, address_key from pool_address
          where environment = $1 and family = $2 and id > $3 order by id limit $4`,
        [this.environment, this.family, this.lastId, LOAD_BATCH],
      );
      for (const row of rows) this.keys.add(row.address_key);
      // Listeners of one family share this object, and an older answer may come in after a newer one.
      this.lastId = Math.max(this.lastId, Number(rows.at(-1)?.id ?? 0));
      if (rows.length < LOAD_BATCH) return (address) => this.keys.has(address);
    }
  }
}
