import { LocalVault } from './local-vault.js';
import type { Vault } from './vault.js';

/** The path of the vault file, and the passphrase that opens it. */
export interface VaultLocation {
  readonly path: string;
  readonly passphrase: string;
}

/** The vault of this machine from the moment that its file is being opened. The rest of the start need not wait for it. */
export class OpeningVault {
  /** Rejects with the `VaultError` of `openVaultFile`. */
  readonly opened: Promise<Vault>;

  constructor({ path, passphrase }: VaultLocation) {
    this.opened = LocalVault.open(path, passphrase);
    // A failure is for those who wait for it, and the first of them comes later.
    this.opened.catch(() => {});
  }

  /** Ends its thread, once it is open. */
  async close(): Promise<void> {
    const vault = await this.opened.catch(() => null);
    await vault?.close();
  }
}
