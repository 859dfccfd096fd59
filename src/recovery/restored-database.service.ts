import { Injectable } from '@nestjs/common';
import type { StaffOrder } from '../platform/audit-trail.js';
import { rows, type Tx } from '../platform/database/database.js';
import { type FrozenReason, type NetworkPlace, SigningFreeze } from '../withdrawals/payouts/signing-freeze.service.js';
import { findWalletNetworks, forgetChainNonces } from './transactions.sql.js';

/** A network with a frozen hot wallet. */
export interface StoppedNetwork extends NetworkPlace {
  /** Why it was frozen before; null when it was not. */
  readonly before: FrozenReason;
}

/** A database that was restored to an older state. */
@Injectable()
export class RestoredDatabase {
  constructor(private readonly freeze: SigningFreeze) {}

  /**
   * Freezes every hot wallet, and makes the vault ask every chain for its nonces again. Unrecorded transactions would stop
   * a wallet anyway, but a lost freeze, limit, list or cancellation shows in no nonce.
   */
  async stop(tx: Tx, order: StaffOrder): Promise<readonly StoppedNetwork[]> {
    const places = await rows(tx, findWalletNetworks);
    const stopped: StoppedNetwork[] = [];
    for (const place of places) stopped.push({ ...place, before: await this.freeze.freezeNetwork(tx, place, order) });
    // Staff know that the database was restored: the vault must not freeze for that again.
    await rows(tx, forgetChainNonces);
    return stopped;
  }
}
