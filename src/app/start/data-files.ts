import { join } from 'node:path';

/** The files of a data directory; commands beside the service use the same names. */
export interface DataFiles {
  /** The cluster of the embedded PostgreSQL. */
  readonly postgres: string;
  /** The state of the development chains. */
  readonly devnet: string;
  readonly vault: string;
  /** Generated at the first start of the embedded sandbox, unless VAULT_PASSPHRASE is set. */
  readonly vaultPassphrase: string;
  readonly secretsKey: string;
  /** Addresses and keys of the sandbox, for its users. */
  readonly sandbox: string;
}

/** Returns the paths of the files of a data directory. */
export function dataFilesOf(dataDir: string): DataFiles {
  return {
    postgres: join(dataDir, 'postgres'),
    devnet: join(dataDir, 'devnet'),
    vault: join(dataDir, 'vault.json'),
    vaultPassphrase: join(dataDir, 'vault-passphrase'),
    secretsKey: join(dataDir, 'secrets-key'),
    sandbox: join(dataDir, 'sandbox.json'),
  };
}
