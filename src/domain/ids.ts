import { randomFillSync } from 'node:crypto';
import { encodeTime } from 'ulid';
import { idSource, type IdPrefix } from './id-source.js';

const POOL_BYTES = 4096;

/** Fractions in [0, 1) from the system's generator, drawn in blocks: one call per character would cost 20 us an id. */
function cryptoFractions(): () => number {
  const pool = new Uint8Array(POOL_BYTES);
  let next = POOL_BYTES;
  return () => {
    if (next === POOL_BYTES) {
      randomFillSync(pool);
      next = 0;
    }
    return (pool[next++] ?? 0) / 256;
  };
}

/**
 * A new id: prefix and ULID, ascending within this process. Opaque and unique, but not secret: two ids of one
 * millisecond are neighbours, so knowing an id must never be a permission.
 */
export const newId = idSource(cryptoFractions(), Date.now);

/** Below every id that is made at this time or later, by a clock that agrees. */
export function idBefore(prefix: IdPrefix, time: Date): string {
  return prefix + encodeTime(time.getTime()).toLowerCase();
}
