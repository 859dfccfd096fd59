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
    'Seals the same seeds under NEW_VAULT_PASSPHRASE instead of VAULT_PASSPHRASE. The file from before stays beside the\n' +
    'new one as vault.json.previous until --forget-previous. Interrupted, the vault opens with one of the two, and the\n' +
    'same command ends what was begun. A vault that runs goes on; it needs the new passphrase at its next start.',
  options: {
    'forget-previous': {
      type: 'boolean',
      about: 'remove vault.json.previous, once both files are proven to hold the same seeds',
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
      await tellVersions(path, passphrases, context);
    }
    return EXIT.fine;
  },
});

function passphrasesOf({ vaultPassphrase, newVaultPassphrase }: Config): Passphrases {
  if (vaultPassphrase === null) throw new UsageError('VAULT_PASSPHRASE is not set: it is the one of now.');
  if (newVaultPassphrase === null) throw new UsageError('NEW_VAULT_PASSPHRASE is not set.');
  if (vaultPassphrase.normalize('NFKC') === newVaultPassphrase.normalize('NFKC')) {
    throw new UsageError('NEW_VAULT_PASSPHRASE is the same as VAULT_PASSPHRASE.');
  }
  return { old: vaultPassphrase, new: newVaultPassphrase };
}

async function change(path: string, passphrases: Passphrases, { terminal }: CommandContext): Promise<void> {
  const outcome = await changePassphrase(path, passphrases, { onStep: (step) => failpoint(`vault.${step}`) });
  terminal.line(outcome === 'changed' ? 'The passphrase is changed.' : 'The passphrase had been changed already.');
  terminal.line('Back the file up, start the vault with the new passphrase as VAULT_PASSPHRASE, then run this again');
  terminal.line('with --forget-previous. A backup from before opens with the passphrase from before.');
}

async function forget(path: string, passphrases: Passphrases, { terminal }: CommandContext): Promise<void> {
  const wasThere = await forgetPrevious(path, passphrases);
  terminal.line(wasThere ? 'The version from before is removed.' : 'There is no version from before.');
}

/** Which file is which, however the run ended. */
async function tellVersions(path: string, passphrases: Passphrases, { terminal }: CommandContext): Promise<void> {
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
      if (error.reason === 'missing') return 'is not there';
      if (error.reason === 'unreadable') return 'cannot be read';
    }
  }
  return 'opens with neither of the two';
}
