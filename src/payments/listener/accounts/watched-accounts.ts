import type { AccountClient } from '../../../chains/accounts.js';
import { type NetworkProfile, tokenContracts } from '../../../chains/networks.js';
import { NATIVE_COIN } from '../../../domain/network.js';
import type { Database } from '../../../platform/database/database.js';
import { type Pool, poolOf } from '../../addresses/pool-addresses.sql.js';
import { addressesWithoutAccounts, insertAccounts } from './watched-accounts.sql.js';

/** Addresses whose accounts are derived together: an account takes about 0.3 ms. */
const BATCH = 200;

/**
 * Derives the accounts of every address of a pool, once, for each listed token and the chain's coin. Addresses that no
 * intent has are watched too, since funds that reach one must not be missed.
 */
export class WatchedAccounts {
  private readonly pool: Pool;
  private readonly tokens: readonly string[];

  constructor(
    private readonly database: Database,
    private readonly chainRef: string,
    profile: Pick<NetworkProfile, 'environment' | 'addressFamily' | 'tokens'>,
  ) {
    this.pool = poolOf(profile);
    this.tokens = tokenContracts(profile);
  }

  /** Stores the accounts of new addresses, and of all addresses for a token that was listed meanwhile. */
  async derive(client: Pick<AccountClient, 'accountsOf'>): Promise<void> {
    const { chainRef, database, pool, tokens } = this;
    for (;;) {
      const addresses = await database.rows(addressesWithoutAccounts(chainRef, pool, [NATIVE_COIN, ...tokens], BATCH));
      const accounts = await Promise.all(
        addresses.map(async ({ id, addressKey }) =>
          (await client.accountsOf(addressKey, tokens)).map((account) => ({ ...account, addressId: id })),
        ),
      );
      if (accounts.length > 0) await database.rows(insertAccounts(chainRef, accounts.flat()));
      if (addresses.length < BATCH) return;
    }
  }
}
