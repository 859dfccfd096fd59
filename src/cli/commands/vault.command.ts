import { stat } from 'node:fs/promises';
import type { Config } from '../../platform/config.js';
import { createDataDir, readSecretFile } from '../../platform/data-dir.js';
import { hasErrorCode } from '../../platform/processes.js';
import { dataFilesOf } from '../../app/start/data-files.js';
import { LocalVault } from '../../vault/local-vault.js';
import { createVaultFile } from '../../vault/vault-file.js';
import { vaultVersions } from '../../vault/vault-passphrase.js';
import { defineCommand, EXIT, UsageError } from '../command.js';
import { commandConfig } from '../command-config.js';
import { columns } from '../terminal.js';

const OTHERS = 0o077;

/** `vault init`. */
export const vaultInit = defineCommand({
  usage: 'vault init',
  example: 'VAULT_PASSPHRASE=... npx coffer vault init',
  details:
    'Creates DATA_DIR/vault.json with a new seed for each environment, encrypted with VAULT_PASSPHRASE. An existing file is\n' +
    'never replaced. Back up the file and the passphrase in different places: without them all funds are lost.',
  options: {},
  run: async (_input, context) => {
    const config = commandConfig(context);
    if (config.vaultPassphrase === null) throw new UsageError('VAULT_PASSPHRASE is not set.');
    const path = dataFilesOf(config.dataDir).vault;
    await createDataDir(config.dataDir);
    await createVaultFile(path, config.vaultPassphrase);
    context.terminal.line(`Created ${path}. Back it up, and store the passphrase in another place.`);
    return EXIT.fine;
  },
});

/** `vault status`. */
export const vaultStatus = defineCommand({
  usage: 'vault status',
  example: 'VAULT_PASSPHRASE=... npx coffer vault status',
  details:
    'With VAULT_PASSPHRASE it opens the vault and shows the first address of each environment, so that you can identify a\n' +
    'backup. Seeds are never shown.',
  options: {},
  run: async (_input, context) => {
    const config = commandConfig(context);
    const path = dataFilesOf(config.dataDir).vault;
    const mode = await modeOf(path);
    if (mode === null) {
      context.terminal.line(`There is no vault file at ${path}.`);
      context.terminal.problem('What to try: run npx coffer vault init, or restore your backup.');
      return EXIT.bad;
    }
    const isPrivate = (mode & OTHERS) === 0;
    const passphrase = await passphraseOf(config);
    const { previous } = await vaultVersions(path);
    const rows = [
      ['File', path],
      ['Access', isPrivate ? 'only its owner' : `other users too: run chmod 600 ${path}`],
      ...(passphrase === null
        ? [['Opens', 'not tried: VAULT_PASSPHRASE is not set']]
        : [['Opens', 'yes'], ...(await firstAddresses(path, passphrase))]),
      ...((await modeOf(previous)) === null ? [] : [['Previous', `${previous}, with the previous passphrase`]]),
    ];
    for (const line of columns(rows)) context.terminal.line(line);
    return isPrivate ? EXIT.fine : EXIT.bad;
  },
});

async function modeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mode;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Returns the passphrase of the configuration, or the one that a sandbox keeps beside its vault. */
async function passphraseOf(config: Config): Promise<string | null> {
  if (config.vaultPassphrase !== null) return config.vaultPassphrase;
  return (await readSecretFile(dataFilesOf(config.dataDir).vaultPassphrase))?.trim() ?? null;
}

async function firstAddresses(path: string, passphrase: string): Promise<string[][]> {
  const vault = await LocalVault.open(path, passphrase);
  try {
    const [sandbox] = await vault.deriveAddresses('sandbox', 'evm', 0, 1);
    const [live] = await vault.deriveAddresses('live', 'evm', 0, 1);
    return [
      ['Sandbox', `${sandbox?.path} ${sandbox?.address}`],
      ['Live', `${live?.path} ${live?.address}`],
    ];
  } finally {
    await vault.close();
  }
}
