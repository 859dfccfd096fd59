import { writeSecretFile } from '../../src/platform/data-dir.js';
import { dataFilesOf } from '../../src/app/start/data-files.js';
import { createVaultFile } from '../../src/vault/vault-file.js';
import { SCRYPT_N } from '../../src/vault/vault-format.js';

const PASSPHRASE = 'a passphrase of the tests';

/**
 * Creates a vault in a data directory that has none, with new seeds like those of a first start, but
 * opened within milliseconds: its key is stretched as little as the format allows.
 */
export async function provideQuickVault(dataDir: string): Promise<void> {
  const { vault, vaultPassphrase } = dataFilesOf(dataDir);
  await writeSecretFile(vaultPassphrase, PASSPHRASE);
  await createVaultFile(vault, PASSPHRASE, { scryptN: SCRYPT_N.min });
}
