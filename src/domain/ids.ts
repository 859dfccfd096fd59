import { randomFillSync } from 'node:crypto';
import { decodeTime, encodeTime } from 'ulid';
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
 * Returns a new id: prefix and ULID, ascending within this process. Unique but not secret: two ids of one millisecond are
 * neighbours, so an id must never grant access.
 */
export const newId = idSource(cryptoFractions(), Date.now);

/** Returns an id in the spelling in which it is stored: its letters mean the same in capitals. */
export const idKey = (id: string): string => id.toLowerCase();

/** When an id was made, by the clock of its process. The id must be well-formed. */
export function timeOfId(id: string): Date {
  return new Date(decodeTime(id.slice(id.indexOf('_') + 1).toUpperCase()));
}

/** A lower bound of the ids made at this time or later, if the clocks agree. */
export function idBefore(prefix: IdPrefix, time: Date): string {
  return prefix + encodeTime(time.getTime()).toLowerCase();
}
