import { base58 } from '@scure/base';

/** The digits of Bitcoin's base58, in their order, which is that of their bytes too. */
export const BASE58_DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * Decodes a text in Bitcoin's base58 alphabet; null when it has another letter. The time grows with the square of the
 * length: limit the length first.
 */
export function decodeBase58(text: string): Uint8Array | null {
  try {
    return base58.decode(text);
  } catch {
    return null;
  }
}
