import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { recordAction } from '../platform/audit-trail.js';
import { afterCommit, Database, rows, type Tx } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { changeOf, isElsewhere } from './database-identity.js';
import { moveWallet, walletsElsewhere } from './wallets/hot-wallets.sql.js';
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
    const elsewhere = await this.database.rows(walletsElsewhere);
    for (const { chainRef } of elsewhere) {
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
    await rows(tx, moveWallet(chainRef, liesOn));
    const details = { before: signedOn ?? '', now: liesOn };
    await recordAction(tx, { actor: 'vault', action: 'signing.freeze', subject: chainRef, reason, details });
    afterCommit(tx, () =>
      this.logger.error({ chainRef, reason }, 'Signing is frozen: the database is not the one that signed last.'),
    );
    return true;
  }
}
