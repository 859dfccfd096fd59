import { randomBytes } from 'node:crypto';
import { link, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isErrno, openVaultFile, sealedFile, type Seeds, syncDirectory, wipe, writeDurably } from './vault-file.js';
import { SCRYPT_N } from './vault-format.js';
import { VaultError } from './vault.js';

/** The old passphrase and its replacement. */
export interface Passphrases {
  readonly old: string;
  readonly new: string;
}

/** The paths of the versions of a vault file, in one directory. */
export interface VaultVersions {
  /** The file that the vault opens. It exists, whole, at every moment. */
  readonly current: string;
  /** The file before the last change, under the old passphrase. */
  readonly previous: string;
}

/**
 * The suffix of a version that is being written. Each run uses its own name, so that no run installs a version that it
 * did not verify.
 */
const DRAFT = '.next';

/** The steps of a change. The process may die after each of them. */
export type ChangeStep = 'next_written' | 'next_proven' | 'previous_kept' | 'renamed';

export interface ChangeOptions {
  /** For tests. */
  readonly scryptN?: number;
  /** Called after each step, once it will survive a power cut. */
  readonly onStep?: (step: ChangeStep) => void;
}

/** Returns the versions of the vault file at `path`. Throws `VaultError` `missing`. */
export async function vaultVersions(path: string): Promise<VaultVersions> {
  // Resolved, since a rename would replace a symbolic link and leave its target unchanged.
  const current = await realpath(path).catch((cause: unknown) => {
    throw new VaultError(isErrno(cause, 'ENOENT') ? 'missing' : 'unreadable', path, { cause });
  });
  return { current, previous: `${current}.previous` };
}

/**
 * Seals the seeds of a vault file under another passphrase. Whenever it is interrupted, the file opens with one of the
 * two passphrases; a second call with the same two completes the change. The old file stays beside it as `previous`.
 *
 * Returns whether the file was changed now or before. Throws `VaultError`: as `openVaultFile` when neither passphrase
 * opens it, `weak_passphrase`, `another_previous` when the file of an earlier change still exists, and `other_seeds`
 * when the new file cannot be read back.
 */
export async function changePassphrase(
  path: string,
  passphrases: Passphrases,
  { scryptN = SCRYPT_N.standard, onStep = () => undefined }: ChangeOptions = {},
): Promise<'changed' | 'was_changed'> {
  const versions = await vaultVersions(path);
  const { current } = versions;
  const seeds = await seedsUnlessChanged(current, passphrases);
  await removeDrafts(current);
  const next = `${current}.${randomBytes(6).toString('hex')}${DRAFT}`;
  if (seeds === null) {
    await syncDirectory(dirname(current));
    return 'was_changed';
  }
  try {
    await refuseAnotherPrevious(versions);
    const text = await sealedFile(next, seeds, passphrases.new, scryptN);
    await writeDurably(next, text, await stat(current));
    onStep('next_written');
    await proveSame(next, passphrases.new, seeds);
    onStep('next_proven');
    await keepPrevious(versions);
    onStep('previous_kept');
    await rename(next, current);
    await syncDirectory(dirname(current));
    onStep('renamed');
    await proveSame(current, passphrases.new, seeds);
    return 'changed';
  } finally {
    wipe(seeds);
    await rm(next, { force: true });
  }
}

/**
 * Removes the version before a change, after it has verified that the new passphrase opens the same seeds. Returns
 * whether there was one. Throws `VaultError` when either cannot be opened with its passphrase, and `other_seeds`.
 */
export async function forgetPrevious(path: string, passphrases: Passphrases): Promise<boolean> {
  const { current, previous } = await vaultVersions(path);
  const seeds = await openVaultFile(current, passphrases.new);
  try {
    await proveSame(previous, passphrases.old, seeds);
  } catch (error) {
    if (error instanceof VaultError && error.reason === 'missing') return false;
    throw error;
  } finally {
    wipe(seeds);
  }
  await rm(previous);
  await syncDirectory(dirname(previous));
  return true;
}

/** Returns the seeds, or null when the new passphrase already opens the file: an earlier run changed it. */
async function seedsUnlessChanged(current: string, passphrases: Passphrases): Promise<Seeds | null> {
  try {
    return await openVaultFile(current, passphrases.old);
  } catch (error) {
    if (!(error instanceof VaultError && error.reason === 'sealed')) throw error;
  }
  wipe(await openVaultFile(current, passphrases.new));
  return null;
}

async function proveSame(path: string, passphrase: string, expected: Seeds): Promise<void> {
  const found = await openVaultFile(path, passphrase);
  const isSame = found.sandbox.equals(expected.sandbox) && found.live.equals(expected.live);
  wipe(found);
  if (!isSame) throw new VaultError('other_seeds', path);
}

/** Removes the drafts of interrupted runs, since they contain the seeds. */
async function removeDrafts(current: string): Promise<void> {
  const [directory, name] = [dirname(current), basename(current)];
  const drafts = (await readdir(directory)).filter((file) => file.startsWith(`${name}.`) && file.endsWith(DRAFT));
  for (const draft of drafts) await rm(join(directory, draft), { force: true });
}

/**
 * Refuses a previous version of an earlier change. One that an interrupted run linked is the current file itself, by
 * another name.
 */
async function refuseAnotherPrevious({ current, previous }: VaultVersions): Promise<void> {
  const kept = await stat(previous).catch(() => null);
  const { dev, ino } = await stat(current);
  if (kept !== null && (kept.dev !== dev || kept.ino !== ino)) throw new VaultError('another_previous', previous);
}

/** Links the current file to a second name, so that it outlives the rename without being written again. */
async function keepPrevious({ current, previous }: VaultVersions): Promise<void> {
  try {
    await link(current, previous);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  }
  await syncDirectory(dirname(previous));
}
