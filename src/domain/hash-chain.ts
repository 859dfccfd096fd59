import { createHash } from 'node:crypto';

/** The hash that precedes the first link of a chain. */
export const BEFORE_FIRST_LINK = '0'.repeat(64);

/**
 * Returns the hash of a link: SHA-256 over the previous hash and the parts of the link. One hash proves whether any link up
 * to it was changed, removed or moved since. No part but the last may contain `|`.
 */
export function linkHash(previous: string, parts: readonly (string | number)[]): string {
  return createHash('sha256')
    .update([previous, ...parts].join('|'))
    .digest('hex');
}
