import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NetworkProfile } from '../../src/chains/networks.js';
import { LocalVault } from '../../src/vault/local-vault.js';
import { createVaultFile, openVaultFile } from '../../src/vault/vault-file.js';
import { SCRYPT_N } from '../../src/vault/vault-format.js';
import type { TestDatabase } from './database.js';
import type { LogLines } from './log-lines.js';

const PASSPHRASE = 'correct horse battery staple';

/** A new vault, in a directory of its own. */
export interface SceneVault {
  readonly dir: string;
  readonly vault: LocalVault;
}

/** A chain whose transactions expire, with its books and a vault. */
export interface ExpiringPlace extends SceneVault {
  readonly db: TestDatabase;
  readonly log: LogLines;
  readonly profile: NetworkProfile;
  readonly rpcUrl: string;
  readonly hotWallet: string;
}

/** Creates a vault and opens it. */
export async function sceneVault(): Promise<SceneVault> {
  const dir = await mkdtemp(join(tmpdir(), 'coffer-vault-'));
  await createVaultFile(vaultPath(dir), PASSPHRASE, { scryptN: SCRYPT_N.min });
  return { dir, vault: await LocalVault.open(vaultPath(dir), PASSPHRASE) };
}

/** Reads the file of a vault, as its owner does. */
export const openedFile = ({ dir }: Pick<SceneVault, 'dir'>) => openVaultFile(vaultPath(dir), PASSPHRASE);

/** The environment of another process that works at the same place. */
export const environmentAt = ({ db, dir, rpcUrl, profile }: ExpiringPlace) => ({
  SERVICE_URL: db.url,
  OWNER_URL: db.ownerUrl,
  RPC_URL: rpcUrl,
  NETWORK: profile.network,
  VAULT_PATH: vaultPath(dir),
  VAULT_PASSPHRASE: PASSPHRASE,
});

const vaultPath = (dir: string): string => join(dir, 'vault.json');
