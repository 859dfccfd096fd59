import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Environment } from '../domain/network.js';
import { VaultError } from './vault.js';
import {
  associatedData,
  ENTROPY_BYTES,
  NONCE_BYTES,
  parseVaultFile,
  SALT_BYTES,
  SCRYPT_N,
  TAG_BYTES,
  type ScryptParameters,
  type SealedSeed,
  type VaultFile,
} from './vault-format.js';

// Secrets in Buffers are zeroed after use. Strings cannot be: the passphrase, and copies inside the libraries, stay in
// memory until the garbage collector reuses it. So core dumps must be switched off.

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const PASSPHRASE_MIN = 12;

/** The BIP-39 entropy of each environment: 32 bytes, or 24 words in any wallet. The holder zeroes it after use. */
export type Seeds = Record<Environment, Buffer>;

/** The owner and the permissions of a file. */
export interface FileAccess {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/**
 * Creates a vault file with new random seeds, readable by its owner alone. The file appears whole or not at all, and an
 * existing one is never replaced. `scryptN` is for tests. Throws `VaultError` `weak_passphrase` or `exists`.
 */
export async function createVaultFile(
  path: string,
  passphrase: string,
  { scryptN = SCRYPT_N.standard }: { scryptN?: number } = {},
): Promise<void> {
  const seeds = { sandbox: randomBytes(ENTROPY_BYTES), live: randomBytes(ENTROPY_BYTES) };
  try {
    await writeOnce(path, await sealedFile(path, seeds, passphrase, scryptN));
  } finally {
    wipe(seeds);
  }
}

/**
 * Returns the content of a vault file with these seeds, under a fresh salt and fresh nonces, for the file at `path`.
 * Throws `VaultError` `weak_passphrase`.
 */
export async function sealedFile(path: string, seeds: Seeds, passphrase: string, scryptN: number): Promise<string> {
  if (passphrase.length < PASSPHRASE_MIN) throw new VaultError('weak_passphrase', path);
  const kdf: ScryptParameters = {
    name: 'scrypt',
    N: scryptN,
    r: 8,
    p: 1,
    salt: randomBytes(SALT_BYTES).toString('hex'),
  };
  const key = await fileKey(passphrase, kdf);
  try {
    const sealed = { sandbox: seal(key, kdf, 'sandbox', seeds.sandbox), live: seal(key, kdf, 'live', seeds.live) };
    const file: VaultFile = { version: 1, kdf, seeds: sealed };
    return `${JSON.stringify(file, null, 2)}\n`;
  } finally {
    key.fill(0);
  }
}

/** Opens both seeds or neither. Throws `VaultError` `missing`, `unreadable`, `unsupported_version` or `sealed`. */
export async function openVaultFile(path: string, passphrase: string): Promise<Seeds> {
  const file = parseVaultFile(await readVaultFile(path));
  if (file === 'unsupported_version') throw new VaultError('unsupported_version', path);
  if (file === 'malformed') throw new VaultError('sealed', path);
  const key = await fileKey(passphrase, file.kdf);
  const sandbox = unseal(key, file.kdf, 'sandbox', file.seeds.sandbox);
  const live = unseal(key, file.kdf, 'live', file.seeds.live);
  key.fill(0);
  if (sandbox && live) return { sandbox, live };
  sandbox?.fill(0);
  live?.fill(0);
  throw new VaultError('sealed', path);
}

/** Overwrites seeds that are not needed any more. */
export function wipe(seeds: Seeds): void {
  seeds.sandbox.fill(0);
  seeds.live.fill(0);
}

function fileKey(passphrase: string, { N, r, p, salt }: ScryptParameters): Promise<Buffer> {
  // Different keyboards may compose the same words differently: NFKC makes them equal.
  const words = passphrase.normalize('NFKC');
  // scrypt needs 128 * N * r bytes and a little more; Node's own limit of 32 MiB would refuse the standard cost.
  const options = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    scrypt(words, Buffer.from(salt, 'hex'), KEY_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function seal(key: Buffer, kdf: ScryptParameters, environment: Environment, entropy: Buffer): SealedSeed {
  // A random nonce is safe here: with its fresh salt, a key seals two seeds in its whole life.
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(kdf, environment));
  const ciphertext = cipher.update(entropy, undefined, 'hex') + cipher.final('hex');
  return { nonce: nonce.toString('hex'), ciphertext, tag: cipher.getAuthTag().toString('hex') };
}

function unseal(key: Buffer, kdf: ScryptParameters, environment: Environment, sealed: SealedSeed): Buffer | null {
  const decipher = createDecipheriv(CIPHER, key, Buffer.from(sealed.nonce, 'hex'), { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(kdf, environment));
  decipher.setAuthTag(Buffer.from(sealed.tag, 'hex'));
  const entropy = decipher.update(Buffer.from(sealed.ciphertext, 'hex'));
  try {
    decipher.final();
    return entropy;
  } catch {
    entropy.fill(0);
    return null;
  }
}

async function readVaultFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new VaultError(isErrno(cause, 'ENOENT') ? 'missing' : 'unreadable', path, { cause });
  }
}

async function writeOnce(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`;
  try {
    await writeDurably(draft, text);
    // A link, unlike a rename, fails when the name is taken: of two processes that start at once, one wins.
    await link(draft, path);
  } catch (cause) {
    if (isErrno(cause, 'EEXIST')) throw new VaultError('exists', path, { cause });
    throw cause;
  } finally {
    await rm(draft, { force: true });
  }
  await syncDirectory(dirname(path));
}

/** Writes a new file, readable by its owner alone or with the permissions of `like`. */
export async function writeDurably(path: string, text: string, like?: FileAccess): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    if (like) {
      await file.chown(like.uid, like.gid);
      await file.chmod(like.mode & 0o777);
    }
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes links, renames and removals in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

export function isErrno(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
