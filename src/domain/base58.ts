/** The digits of Bitcoin's base58, in their order, which is that of their bytes too. */
export const BASE58_DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * Decodes a text in Bitcoin's base58 alphabet; null when it has another letter. The time grows with the square of the
 * length: limit the length first.
 */
export function decodeBase58(text: string): Uint8Array | null {
  let value = 0n;
  for (const letter of text) {
    const digit = BASE58_DIGITS.indexOf(letter);
    if (digit === -1) return null;
    value = value * 58n + BigInt(digit);
  }
  const zeros = text.length - text.replace(/^1+/, '').length;
  const digits = value === 0n ? '' : value.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.alloc(zeros), bytes]);
}
