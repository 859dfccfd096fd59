import type { AccountClient } from '../../../chains/accounts.js';
import { NATIVE_COIN } from '../../../domain/network.js';
import { RpcRefusal } from '../../../chains/rpc/json-rpc.js';
import type { Database } from '../../../platform/database/database.js';
import { setMinimumAmount } from './smallest-payment.sql.js';

/** The rent is changed by votes, never within minutes. */
const SAMPLED_EVERY_MS = 60_000;

/** Keeps the smallest payment to an address without funds as the chain demands it now. */
export class SmallestPayment {
  private sampledAt = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly chainRef: string,
  ) {}

  /** Asks the node once a minute. Where it refuses, the last value counts. @throws ChainUnavailable */
  async sample(client: AccountClient): Promise<void> {
    const now = performance.now();
    if (now - this.sampledAt < SAMPLED_EVERY_MS) return;
    this.sampledAt = now;
    try {
      await this.database.rows(setMinimumAmount(this.chainRef, NATIVE_COIN, await client.smallestPayment()));
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
    }
  }
}
