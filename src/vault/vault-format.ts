import { z } from 'zod';
import type { Environment } from '../domain/network.js';

/**
 * Cost of scrypt. The standard cost takes about 0.6 s and 128 MiB. The upper bound keeps a changed file from claiming
 * all memory. The lower one is for tests and weakens no file, because a changed N opens nothing.
 */
export const SCRYPT_N = { min: 2 ** 10, standard: 2 ** 17, max: 2 ** 18 } as const;

/** Bytes of a seed: the entropy of a 24-word BIP-39 mnemonic. */
export const ENTROPY_BYTES = 32;
export const SALT_BYTES = 32;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

// Lower-case hex of exact length: each value has one spelling, so no changed character can go unnoticed.
function hex(bytes: number) {
  return z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));
}

const scryptParameters = z.strictObject({
  name: z.literal('scrypt'),
  N: z
    .int()
    .min(SCRYPT_N.min)
    .max(SCRYPT_N.max)
    .refine((n) => Number.isInteger(Math.log2(n))),
  r: z.literal(8),
  p: z.literal(1),
  salt: hex(SALT_BYTES),
});

const sealedSeed = z.strictObject({
  nonce: hex(NONCE_BYTES),
  ciphertext: hex(ENTROPY_BYTES),
  tag: hex(TAG_BYTES),
});

const vaultFile = z.strictObject({
  version: z.literal(1),
  kdf: scryptParameters,
  seeds: z.strictObject({ sandbox: sealedSeed, live: sealedSeed }),
});

export type ScryptParameters = z.infer<typeof scryptParameters>;
/** A seed under AES-256-GCM; every field is lower-case hex. */
export type SealedSeed = z.infer<typeof sealedSeed>;
/** Version 1 of the vault file: one passphrase, one seed per environment. */
export type VaultFile = z.infer<typeof vaultFile>;

/** Returns the content of the file, or why it is invalid. It does not authenticate anything. */
export function parseVaultFile(text: string): VaultFile | 'unsupported_version' | 'malformed' {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return 'malformed';
  }
  const version = z.looseObject({ version: z.int() }).safeParse(content);
  if (version.success && version.data.version !== 1) return 'unsupported_version';
  const file = vaultFile.safeParse(content);
  return file.success ? file.data : 'malformed';
}

/** Returns the data that a sealed seed is bound to beside its key: format, key derivation, environment. */
export function associatedData(kdf: ScryptParameters, environment: Environment): Buffer {
  return Buffer.from(['coffer-vault', 1, kdf.name, kdf.N, kdf.r, kdf.p, kdf.salt, environment].join('|'));
}
