import { join } from 'node:path';

/** Where things lie in a data directory: commands beside the service find them by the same names. */
export interface DataFiles {
  /** Cluster of the embedded PostgreSQL. */
  readonly postgres: string;
  /** What the development chains keep. */
  readonly devnet: string;
  readonly vault: string;
  /** Made at the first start of the embedded sandbox, where nobody brings one. */
  readonly vaultPassphrase: string;
  readonly secretsKey: string;
  /** Addresses and keys of the sandbox, for its users. */
  readonly sandbox: string;
}

/** The files of a data directory. */
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
