import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { recordAction } from '../platform/audit-trail.js';
import { afterCommit, Database, type Tx, sql } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { changeOf, DATABASE_IDENTITY, isElsewhere } from './database-identity.js';
import { type LockedWallet, lockWallet } from './wallets/locked-wallet.js';
import { freezeWallet } from './wallets/wallet-freeze.js';

/**
 * Detects failovers and restores by the identity of the database, before the vault signs on one that misses signatures.
 */
@Injectable()
export class DatabaseIdentityCheck {
  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Checks every hot wallet, so that all of them stop at once, whether or not one has something to sign. */
  async check(): Promise<void> {
    const rows = await this.database.query<{ chain_ref: string }>(
      `select chain_ref from hot_wallet wallet join chain on chain.id = wallet.chain_ref and chain.active
        where wallet.database_identity <> ${DATABASE_IDENTITY} order by chain_ref`,
    );
    for (const { chain_ref: chainRef } of rows) {
      await this.database.transaction(async (tx) => {
        const wallet = await lockWallet(tx, chainRef);
        if (wallet !== null) await this.stopElsewhere(tx, wallet);
      });
    }
  }

  /**
   * Freezes the wallet as `treasury restored` does when its row is in another database than when it last took a nonce;
   * returns whether it did. It records the new database, so only `withdrawals unfreeze` ends the freeze.
   */
  async stopElsewhere(tx: Tx, wallet: LockedWallet): Promise<boolean> {
    if (!isElsewhere(wallet)) return false;
    const { chainRef, signedOn, liesOn } = wallet;
    const reason = changeOf(wallet);
    await freezeWallet(tx, chainRef, reason);
    await sql(tx, `update hot_wallet set chain_nonce = null, database_identity = $2 where chain_ref = $1`, [
      chainRef,
      liesOn,
    ]);
    const details = { before: signedOn ?? '', now: liesOn };
    await recordAction(tx, { actor: 'vault', action: 'signing.freeze', subject: chainRef, reason, details });
    afterCommit(tx, () =>
      this.logger.error({ chainRef, reason }, 'Signing is frozen: the database is not the one that signed last.'),
    );
    return true;
  }
}
