import type { Config } from '../../platform/config.js';
import { armFailpoints, failpoint } from '../../platform/failpoints.js';
import { dataFilesOf } from '../../app/start/data-files.js';
import { openVaultFile, wipe } from '../../vault/vault-file.js';
import { changePassphrase, forgetPrevious, type Passphrases, vaultVersions } from '../../vault/vault-passphrase.js';
import { VaultError } from '../../vault/vault.js';
import { type CommandContext, defineCommand, EXIT, UsageError } from '../command.js';
import { commandConfig } from '../command-config.js';
import { columns } from '../terminal.js';

/** `vault change-passphrase`. */
export const vaultChangePassphrase = defineCommand({
  usage: 'vault change-passphrase',
  example: 'VAULT_PASSPHRASE=... NEW_VAULT_PASSPHRASE=... npx coffer vault change-passphrase',
  details:
    'Encrypts the same seeds with NEW_VAULT_PASSPHRASE instead of VAULT_PASSPHRASE. The previous file is kept as\n' +
    'vault.json.previous until you run this with --forget-previous. If it is interrupted, the vault opens with one of the\n' +
    'two passphrases, and the same command finishes the change. A running vault needs the new passphrase at its next start.',
  options: {
    'forget-previous': {
      type: 'boolean',
      about: 'Remove vault.json.previous, after a check that both files contain the same seeds.',
    },
  },
  run: async ({ values }, context) => {
    const config = commandConfig(context);
    armFailpoints(config.failpoints);
    const passphrases = passphrasesOf(config);
    const path = dataFilesOf(config.dataDir).vault;
    try {
      if (values['forget-previous'] === true) await forget(path, passphrases, context);
      else await change(path, passphrases, context);
    } finally {
      await printVersions(path, passphrases, context);
    }
    return EXIT.fine;
  },
});

function passphrasesOf({ vaultPassphrase, newVaultPassphrase }: Config): Passphrases {
  if (vaultPassphrase === null) throw new UsageError('VAULT_PASSPHRASE is not set: set it to the current passphrase.');
  if (newVaultPassphrase === null) throw new UsageError('NEW_VAULT_PASSPHRASE is not set.');
  if (vaultPassphrase.normalize('NFKC') === newVaultPassphrase.normalize('NFKC')) {
    throw new UsageError('NEW_VAULT_PASSPHRASE is the same as VAULT_PASSPHRASE.');
  }
  return { old: vaultPassphrase, new: newVaultPassphrase };
}

async function change(path: string, passphrases: Passphrases, { terminal }: CommandContext): Promise<void> {
  const outcome = await changePassphrase(path, passphrases, { onStep: (step) => failpoint(`vault.${step}`) });
  terminal.line(outcome === 'changed' ? 'The passphrase is changed.' : 'The passphrase was changed before.');
  terminal.line('Back up the file, start the vault with the new passphrase as VAULT_PASSPHRASE, then run this command');
  terminal.line('again with --forget-previous. Older backups open with the previous passphrase.');
}

async function forget(path: string, passphrases: Passphrases, { terminal }: CommandContext): Promise<void> {
  const wasThere = await forgetPrevious(path, passphrases);
  terminal.line(wasThere ? 'The previous version is removed.' : 'There is no previous version.');
}

/** Prints which passphrase opens which file, also after a failure. */
async function printVersions(path: string, passphrases: Passphrases, { terminal }: CommandContext): Promise<void> {
  const versions = await vaultVersions(path).catch(() => ({ current: path, previous: `${path}.previous` }));
  const rows = [];
  for (const file of [versions.current, versions.previous]) rows.push([file, await opensWith(file, passphrases)]);
  for (const line of columns(rows)) terminal.line(line);
}

async function opensWith(file: string, passphrases: Passphrases): Promise<string> {
  const ways = [
    { passphrase: passphrases.new, answer: 'opens with NEW_VAULT_PASSPHRASE' },
    { passphrase: passphrases.old, answer: 'opens with VAULT_PASSPHRASE' },
  ];
  for (const { passphrase, answer } of ways) {
    try {
      wipe(await openVaultFile(file, passphrase));
      return answer;
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      if (error.reason === 'missing') return 'does not exist';
      if (error.reason === 'unreadable') return 'cannot be read';
    }
  }
  return 'opens with neither of the two';
}
