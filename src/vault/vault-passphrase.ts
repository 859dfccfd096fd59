import { randomBytes } from 'node:crypto';
import { link, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isErrno, openVaultFile, sealedFile, type Seeds, syncDirectory, wipe, writeDurably } from './vault-file.js';
import { SCRYPT_N } from './vault-format.js';
import { VaultError } from './vault.js';

/** The passphrase that is to go, and the one that takes its place. */
export interface Passphrases {
  readonly old: string;
  readonly new: string;
}

/** Where the versions of a vault file lie, beside each other. */
export interface VaultVersions {
  /** What the vault opens. It is there, whole, at every moment. */
  readonly current: string;
  /** What was current before the passphrase was changed, under the old one. */
  readonly previous: string;
}

/** A version that is being written. Its name is its run's own, so that no run puts in place what it has not proven. */
const DRAFT = '.next';

/** The steps of a change, after each of which the process may die. */
export type ChangeStep = 'next_written' | 'next_proven' | 'previous_kept' | 'renamed';

export interface ChangeOptions {
  /** For tests. */
  readonly scryptN?: number;
  /** Told of each step, once it will survive a power cut. */
  readonly onStep?: (step: ChangeStep) => void;
}

/** The versions of the vault file at `path`. Throws `VaultError` `missing`. */
export async function vaultVersions(path: string): Promise<VaultVersions> {
  // A rename would put a file in the place of a link, and leave behind what the link stood for.
  const current = await realpath(path).catch((cause: unknown) => {
    throw new VaultError(isErrno(cause, 'ENOENT') ? 'missing' : 'unreadable', path, { cause });
  });
  return { current, previous: `${current}.previous` };
}

/**
 * Seals the seeds of a vault file under another passphrase. Whenever it is interrupted, the file opens with one of the
 * two; asked again with the same two, it ends what was begun. The file from before stays beside it as `previous`.
 *
 * Says whether the file was changed now, or had been already. Throws `VaultError`: as `openVaultFile` when neither
 * passphrase opens it, `weak_passphrase`, `another_previous` when the one of an earlier change is still there, and
 * `other_seeds` when what was written cannot be read back.
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
 * Removes the version from before a change, once it is proven that the new passphrase opens the same seeds. Says whether
 * there was one. Throws `VaultError` when either cannot be opened with its passphrase, and `other_seeds`.
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

/** Null when the new passphrase opens the file: then an earlier run got as far as that. */
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

/** What interrupted runs left: they hold the seeds. */
async function removeDrafts(current: string): Promise<void> {
  const [directory, name] = [dirname(current), basename(current)];
  const drafts = (await readdir(directory)).filter((file) => file.startsWith(`${name}.`) && file.endsWith(DRAFT));
  for (const draft of drafts) await rm(join(directory, draft), { force: true });
}

/** One that an interrupted run kept is the current file itself, by another name. */
async function refuseAnotherPrevious({ current, previous }: VaultVersions): Promise<void> {
  const kept = await stat(previous).catch(() => null);
  const { dev, ino } = await stat(current);
  if (kept !== null && (kept.dev !== dev || kept.ino !== ino)) throw new VaultError('another_previous', previous);
}

/** A second name for the current file, which thereby outlives the rename: no byte of it is written again. */
async function keepPrevious({ current, previous }: VaultVersions): Promise<void> {
  try {
    await link(current, previous);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  }
  await syncDirectory(dirname(previous));
}
