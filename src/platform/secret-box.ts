import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/** The purpose of a stored secret. A box of one purpose does not open as another. */
export type SecretPurpose = 'webhook-secret' | 'idempotent-answer' | 'totp-secret';

/** The place of a secret: its purpose, and the id of its row. Both are authenticated, so boxes cannot be swapped. */
export interface SecretPlace {
  readonly purpose: SecretPurpose;
  readonly rowId: string;
}

/** The stored bytes were changed, belong to another place, or were sealed under another key. */
export class SecretBoxError extends Error {
  constructor(place: SecretPlace, cause?: unknown) {
    super(`The ${place.purpose} of ${place.rowId} cannot be opened with this SECRETS_KEY.`, { cause });
    this.name = 'SecretBoxError';
  }
}

/**
 * Encrypts secrets at rest: AES-256-GCM under `SECRETS_KEY`. A box is one version byte, a random nonce of 12 bytes, the
 * tag of 16 bytes and the ciphertext. Random nonces under one key are safe for 2^32 boxes (NIST SP 800-38D, 8.3).
 * Boxes sealed under `PREVIOUS_SECRETS_KEY` are opened too; the authentication tag decides which key fits.
 */
export class SecretBox {
  // Private at run time too, so that neither a log nor an inspector prints it.
  readonly #key: Buffer;
  readonly #previous: Buffer | null;

  /** @throws Error when a key is not 32 bytes in hex. */
  constructor(keyHex: string, previousKeyHex: string | null = null) {
    this.#key = parsedKey(keyHex);
    this.#previous = previousKeyHex === null ? null : parsedKey(previousKeyHex);
  }

  seal(place: SecretPlace, secret: string | Buffer): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(contextOf(place));
    const text = typeof secret === 'string' ? Buffer.from(secret, 'utf8') : secret;
    const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
    return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), ciphertext]);
  }

  /** @throws SecretBoxError when the box was changed, or belongs to another place or key. */
  open(place: SecretPlace, box: Buffer): Buffer {
    if (this.#previous === null) return opened(this.#key, place, box);
    try {
      return opened(this.#key, place, box);
    } catch {
      return opened(this.#previous, place, box);
    }
  }

  /** Returns the box itself if it is sealed under `SECRETS_KEY`, else its secret sealed so. @throws as `open` does. */
  renewed(place: SecretPlace, box: Buffer): Buffer {
    try {
      opened(this.#key, place, box).fill(0);
      return box;
    } catch (error) {
      if (this.#previous === null) throw error;
      return this.seal(place, opened(this.#previous, place, box));
    }
  }
}

function parsedKey(hex: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error(`A secrets key is ${KEY_BYTES} bytes in hex.`);
  return Buffer.from(hex, 'hex');
}

/** @throws SecretBoxError */
function opened(key: Buffer, place: SecretPlace, box: Buffer): Buffer {
  if (box.length < HEADER_BYTES || box[0] !== VERSION) throw new SecretBoxError(place);
  const nonce = box.subarray(1, 1 + NONCE_BYTES);
  const tag = box.subarray(1 + NONCE_BYTES, HEADER_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(contextOf(place));
  decipher.setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(box.subarray(HEADER_BYTES)), decipher.final()]);
  } catch (error) {
    throw new SecretBoxError(place, error);
  }
}

/** The authenticated context, with the version. No purpose contains a NUL, so each place has its own context. */
function contextOf({ purpose, rowId }: SecretPlace): Buffer {
  return Buffer.from(`${VERSION}\0${purpose}\0${rowId}`, 'utf8');
}
