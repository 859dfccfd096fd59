import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ENVIRONMENTS, type Environment } from './network.js';

/** The prefix of the keys of each environment (spec 5). Both kinds are secret, although `pk` suggests otherwise. */
export const API_KEY_PREFIX = { sandbox: 'sk_sb_', live: 'pk_live_' } as const satisfies Record<Environment, string>;

/** The parts of a key that its text contains, read without a query. */
export interface ApiKeyParts {
  readonly environment: Environment;
  /** The last four characters, by which people recognise a key. */
  readonly last4: string;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
/** The largest multiple of 62 in a byte. Higher bytes are discarded, or the first 8 characters would be likelier. */
const BYTE_LIMIT = 248;

const KEY = /^(?:sk_sb_|pk_live_)[0-9A-Za-z]{46}$/;
const KEY_IN_TEXT = /(sk_sb_|pk_live_)([0-9A-Za-z]+)/g;

function randomBase62(length: number, random: (size: number) => Uint8Array): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < BYTE_LIMIT) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

/** CRC-32 in six base62 digits. It finds typos and truncated keys; it is no protection. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** A new secret key: prefix, 40 random base62 characters (238 bits), and a checksum over all of that. */
export function newApiKey(environment: Environment, random: (size: number) => Uint8Array = randomBytes): string {
  const body = API_KEY_PREFIX[environment] + randomBase62(RANDOM_LENGTH, random);
  return body + checksumOf(body);
}

/** Parses a presented key; null when it cannot be one of ours, for example because of a typo. */
export function parseApiKey(text: string): ApiKeyParts | null {
  if (!KEY.test(text) || checksumOf(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) return null;
  const environment = ENVIRONMENTS.find((candidate) => text.startsWith(API_KEY_PREFIX[candidate]));
  return environment === undefined ? null : { environment, last4: text.slice(-4) };
}

/** The stored form of a key: SHA-256 in lower-case hex. A slow hash would add nothing to 238 random bits. */
export function hashApiKey(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Shortens every key in `text` to `sk_sb_…abcd`. The last characters stay only when the key is complete: those of a
 * truncated key are part of its secret.
 */
export function redactApiKey(text: string): string {
  return text.replace(KEY_IN_TEXT, (_key, prefix: string, secret: string) =>
    secret.length >= RANDOM_LENGTH + CHECKSUM_LENGTH ? `${prefix}…${secret.slice(-4)}` : `${prefix}…`,
  );
}
