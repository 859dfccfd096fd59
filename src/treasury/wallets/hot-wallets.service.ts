import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { DerivedAddress, Vault } from '../../vault/vault.js';
import { chainsWithWallets, distrustAllCounts, insertWallet } from './hot-wallets.sql.js';
import { HotWallet } from './hot-wallet.entity.js';

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
    await this.database.rows(distrustAllCounts);
  }

  /** @throws ForeignHotWallet when a stored wallet came from another vault. */
  async provide(vault: Vault): Promise<void> {
    const chains = await this.database.rows(chainsWithWallets);
    for (const chain of chains) {
      if (this.verified.has(chain.id)) continue;
      const { address, addressKey, path } = await vault.hotWallet(chain.environment, chain.network);
      const stored = chain.addressKey ?? (await this.store(chain.id, { address, addressKey, path }));
      if (stored !== addressKey) throw new ForeignHotWallet(chain.id, stored, addressKey);
      this.verified.add(chain.id);
    }
  }

  /** Stores a wallet unless another process was faster; returns the stored address. */
  private async store(chainRef: string, wallet: Omit<DerivedAddress, 'index'>): Promise<string> {
    const { address, addressKey, path: derivationPath } = wallet;
    await this.database.rows(insertWallet({ chainRef, address, addressKey, derivationPath }));
    const stored = await this.database.em().findOne(HotWallet, { chainRef }, { fields: ['addressKey'] });
    return stored?.addressKey ?? '';
  }
}
