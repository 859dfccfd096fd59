import { decodeTime } from 'ulid';
import { idSource, type IdPrefix } from './id-source.js';
import { newId } from './ids.js';

/** An id whose time is fixed and whose random characters are all the same. */
function idAt(fraction: number): string {
  const source = idSource(
    () => fraction,
    () => 1_000,
  );
  return source('ord_');
}

describe('newId', () => {
  it.each<IdPrefix>(['pi_', 'pkt_', 'we_'])('writes %s and 26 characters of lower-case Crockford base32', (prefix) => {
    expect(newId(prefix)).toMatch(new RegExp(`^${prefix}[0-7][0-9a-hjkmnp-tv-z]{25}$`));
  });

  it('returns 50,000 different ids in ascending order', () => {
    const ids = Array.from({ length: 50_000 }, () => newId('pi_'));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual(ids);
  });

  it('carries the time it was made', () => {
    const before = Date.now();
    const time = decodeTime(newId('evt_').slice('evt_'.length));
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
  });
});

describe('idSource', () => {
  it('keeps ids ascending when the clock stops or steps back', () => {
    const times = [1_000, 1_000, 999, 1, 1_001, 1_000];
    let call = 0;
    const next = idSource(
      () => 0.5,
      () => times[call++] ?? 0,
    );
    const ids = times.map(() => next('dep_'));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('uses its randomness for all 16 characters after the time', () => {
    expect(idAt(0).slice(-16)).toBe('0'.repeat(16));
    expect(idAt(255 / 256).slice(-16)).toBe('z'.repeat(16));
  });
});
