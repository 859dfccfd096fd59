import { Injectable } from '@nestjs/common';
import type { StaffOrder } from '../platform/audit-trail.js';
import { type Tx, sql } from '../platform/database/database.js';
import { DATABASE_IDENTITY } from '../treasury/database-identity.js';
import { type FrozenReason, type NetworkPlace, SigningFreeze } from '../withdrawals/payouts/signing-freeze.service.js';

/** A network on which nothing is signed now. */
export interface StoppedNetwork extends NetworkPlace {
  /** Why it was frozen before; null when it was not. */
  readonly before: FrozenReason;
}

/** A database that was restored to an older state. */
@Injectable()
export class RestoredDatabase {
  constructor(private readonly freeze: SigningFreeze) {}

  /**
   * Freezes every hot wallet, and has every chain asked anew what it counts. Forgotten nonces would stop a wallet by
   * themselves; a freeze, a limit, a list or a cancellation that was forgotten shows in no nonce.
   */
  async stop(tx: Tx, order: StaffOrder): Promise<readonly StoppedNetwork[]> {
    const places = await sql<NetworkPlace>(
      tx,
      `select chain.environment, chain.network from hot_wallet join chain on chain.id = chain_ref
        where chain.active order by chain.id`,
    );
    const stopped: StoppedNetwork[] = [];
    for (const place of places) stopped.push({ ...place, before: await this.freeze.freezeNetwork(tx, place, order) });
    // Staff know that it is another database: the vault need not stop for that once more.
    await sql(tx, `update hot_wallet set chain_nonce = null, database_identity = ${DATABASE_IDENTITY}`);
    return stopped;
  }
}
