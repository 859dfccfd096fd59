import { blockSpelling } from '../../chains/block-spelling.js';
import type { AddressFamily, Environment } from '../../domain/network.js';
import type { Database } from '../../platform/database/database.js';
import { AddressTable } from './address-table.js';
import { nextKeys, SEPARATOR } from './watched-addresses.sql.js';

/** Rows per query: a large pool is read in slices, so that other work can run in between. */
const LOAD_BATCH = 10_000;

/**
 * Every address of a family in an environment, in memory, once for all chains of the family. The pool is filled by one
 * writer at a time and never shrinks, so "rows with a higher id" is all that is new; free addresses are watched too,
 * since money that reaches one must not be missed.
 */
export class WatchedAddresses {
  private readonly keys = new AddressTable();
  private lastId = 0;

  constructor(
    private readonly database: Database,
    private readonly environment: Environment,
    private readonly family: AddressFamily,
  ) {}

  /** Loads new addresses and returns the membership test of an address in its `blockSpelling`. */
  async refresh(): Promise<(address: string) => boolean> {
    for (;;) {
      // One text instead of a million rows, which would keep the garbage collector busy long after they were read.
      const [slice] = await this.database.rows(nextKeys(this.environment, this.family, this.lastId, LOAD_BATCH));
      const keys = slice?.keys?.split(SEPARATOR) ?? [];
      for (const key of keys) this.keys.add(blockSpelling(this.family, key));
      // Listeners of one family share this object, and an older answer may come in after a newer one.
      this.lastId = Math.max(this.lastId, Number(slice?.lastId ?? 0));
      if (keys.length < LOAD_BATCH) return (address) => this.keys.has(address);
    }
  }
}
