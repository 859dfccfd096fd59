import { Injectable } from '@nestjs/common';
import { DomainError } from '../domain/errors.js';
import { Database, rows, type Tx } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { blockOf, forgetTries, returnTry, takeTry, type TryLimit } from './sign-in-failures.sql.js';
import { accountKeyOf, networkKeyOf } from './sign-in-keys.js';

const ACCOUNT_LIMIT: TryLimit = { free: 5, firstBlockSeconds: 30 };
/** More, because an office shares one address; the limit of the account protects each account. */
const NETWORK_LIMIT: TryLimit = { free: 25, firstBlockSeconds: 30 };

/** A counted try, of an account and from a network. */
export interface Try {
  readonly accountKey: string;
  readonly networkKey: string;
}

/**
 * Limits guesses of passwords and codes, per account and per network, whether the account exists or not. The counts are
 * rows: all processes share them. A try is counted in a transaction of its own, since it must stay although the request fails.
 */
@Injectable()
export class SignInTries {
  constructor(private readonly database: Database) {}

  /**
   * Counts a try, which the caller settles by `passed` or `returned`; a try that is not settled stays a failure.
   * @throws DomainError `rate_limited` while the account or the network is blocked
   */
  async take(email: string, address: string): Promise<Try> {
    const taken = { accountKey: accountKeyOf(email), networkKey: networkKeyOf(address) };
    // Without a lock, so that a flood of guesses does not queue for the row.
    for (const key of [taken.accountKey, taken.networkKey]) assertFree(await this.database.rows(blockOf(key)));
    await this.database.transaction(async (tx) => {
      await takeOf(tx, taken.accountKey, ACCOUNT_LIMIT);
      await takeOf(tx, taken.networkKey, NETWORK_LIMIT);
    });
    return taken;
  }

  /** The try succeeded: the account's failures are forgotten, those of the network are not. Joins the transaction. */
  async passed(tx: Tx, { accountKey, networkKey }: Try): Promise<void> {
    await rows(tx, forgetTries(accountKey));
    await rows(tx, returnTry(networkKey));
  }

  /** The try neither failed nor succeeded. */
  async returned({ accountKey, networkKey }: Try): Promise<void> {
    await this.database.transaction(async (tx) => {
      await rows(tx, returnTry(accountKey));
      await rows(tx, returnTry(networkKey));
    });
  }
}

async function takeOf(tx: Tx, key: string, limit: TryLimit): Promise<void> {
  const [taken] = await rows(tx, takeTry(key, limit));
  if (taken !== undefined) return;
  assertFree(await rows(tx, blockOf(key)), 1);
}

/** @throws DomainError `rate_limited` while the key is blocked, and always with `secondsMin` */
function assertFree([block]: readonly RowOf<typeof blockOf>[], secondsMin = 0): void {
  const seconds = Math.max(secondsMin, block?.seconds ?? 0);
  if (seconds <= 0) return;
  throw new DomainError('rate_limited', 'Too many failed sign-ins. Wait before the next try.', {
    retryAfterSeconds: seconds,
  });
}
