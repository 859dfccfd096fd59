import { randomFillSync } from 'node:crypto';
import { encodeTime, monotonicFactory } from 'ulid';

/** What an id names. The first line is public (api.md 1), the second stays inside the service. */
export const ID_PREFIXES = [
  ...(['pi_', 'wd_', 'pkt_', 'evt_', 'we_', 'dlv_', 'mer_', 'key_', 'req_'] as const),
  ...(['dep_', 'ent_', 'ord_', 'prd_', 'ctx_', 'swp_', 'swc_', 'top_', 'ret_', 'los_', 'sho_', 'rec_'] as const),
] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

/** A ULID in lower case: 48 bits of time, so that the first character is at most 7, and 80 bits of randomness. */
const ULID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

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
 * Makes a source of ids that sort in the order they were made, also within one millisecond and when `now` steps back.
 * `fraction` gives randomness in [0, 1), `now` milliseconds since 1970.
 */
export function idSource(fraction: () => number, now: () => number): (prefix: IdPrefix) => string {
  const ulid = monotonicFactory(fraction);
  return (prefix) => prefix + ulid(now()).toLowerCase();
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

/** True when `text` is exactly an id with this prefix, as `newId` writes them. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(prefix) && ULID.test(text.slice(prefix.length));
}
