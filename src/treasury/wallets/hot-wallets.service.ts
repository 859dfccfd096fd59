import { Injectable } from '@nestjs/common';
import { type Environment, isEvmNetwork, type Network } from '../../domain/network.js';
import { Database } from '../../platform/database/database.js';
import type { DerivedAddress, Vault } from '../../vault/vault.js';
import { DATABASE_IDENTITY } from '../database-identity.js';

/** The vault derives another hot wallet than the stored one: it is a different vault and must not sign. */
export class ForeignHotWallet extends Error {
  constructor(chainRef: string, stored: string, derived: string) {
    super(`The hot wallet of ${chainRef} is ${stored} in the database, but this vault derives ${derived}.`);
    this.name = 'ForeignHotWallet';
  }
}

/** Stores the hot wallet of every active chain and checks that this vault owns it. Runs in the vault role. */
@Injectable()
export class HotWallets {
  private readonly verified = new Set<string>();

  constructor(private readonly database: Database) {}

  /**
   * Clears the stored transaction counts, so that every chain is asked again before anything is signed: stored counts
   * may be as old as a restored backup.
   */
  async distrustCounts(): Promise<void> {
    await this.database.query(`update hot_wallet set chain_nonce = null where chain_nonce is not null`);
  }

  /** @throws ForeignHotWallet when a stored wallet came from another vault. */
  async provide(vault: Vault): Promise<void> {
    const chains = await this.database.query<{
      id: string;
      environment: Environment;
      network: Network;
      address_key: string | null;
    }>(
      `select chain.id, chain.environment, chain.network, wallet.address_key
         from chain left join hot_wallet wallet on wallet.chain_ref = chain.id where chain.active`,
    );
    for (const chain of chains) {
      if (this.verified.has(chain.id) || !isEvmNetwork(chain.network)) continue;
      const { address, addressKey, path } = await vault.hotWallet(chain.environment, chain.network);
      const stored = chain.address_key ?? (await this.store(chain.id, { address, addressKey, path }));
      if (stored !== addressKey) throw new ForeignHotWallet(chain.id, stored, addressKey);
      this.verified.add(chain.id);
    }
  }

  /** Stores a wallet unless another process was faster; returns the stored address. */
  private async store(chainRef: string, wallet: Omit<DerivedAddress, 'index'>): Promise<string> {
    await this.database.query(
      `insert into hot_wallet (chain_ref, address, address_key, derivation_path, database_identity)
       values ($1, $2, $3, $4, ${DATABASE_IDENTITY})
       on conflict (chain_ref) do nothing`,
      [chainRef, wallet.address, wallet.addressKey, wallet.path],
    );
    const [stored] = await this.database.query<{ address_key: string }>(
      `select address_key from hot_wallet where chain_ref = $1`,
      [chainRef],
    );
    return stored?.address_key ?? '';
  }
}
