import { Injectable } from '@nestjs/common';
import type { Environment } from '../../domain/network.js';
import { Database } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { comparisonsOf, writtenOffIn } from './wallet-comparisons.sql.js';

const WRITTEN_OFF_SHOWN = 10;

/** The last comparison of a token in a hot wallet with the books; amounts in smallest units, as text. */
export type WalletComparison = RowOf<typeof comparisonsOf>;

/** Missing funds that an operator wrote off; the amount in smallest units, as text. */
export type WrittenOff = RowOf<typeof writtenOffIn>;

/** Reads how the hot wallets compare with the books, for staff. */
@Injectable()
export class WalletComparisons {
  constructor(private readonly database: Database) {}

  comparisons(environment: Environment): Promise<readonly WalletComparison[]> {
    return this.database.rows(comparisonsOf(environment));
  }

  /** Returns the newest ten. */
  writtenOff(environment: Environment): Promise<readonly WrittenOff[]> {
    return this.database.rows(writtenOffIn(environment, WRITTEN_OFF_SHOWN));
  }
}
