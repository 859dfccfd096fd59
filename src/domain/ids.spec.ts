import * as fc from 'fast-check';
import { decodeTime } from 'ulid';
import { ID_PREFIXES, idSource, isId, newId } from './ids.js';

/** An id whose time is fixed and whose random characters are all the same. */
function idAt(fraction: number): string {
  const source = idSource(
    () => fraction,
    () => 1_000,
  );
  return source('ord_');
}

describe('newId', () => {
  it.each(ID_PREFIXES)('writes %s and 26 characters of lower-case Crockford base32', (prefix) => {
    const id = newId(prefix);
    expect(id).toMatch(new RegExp(`^${prefix}[0-9a-hjkmnp-tv-z]{26}$`));
    expect(isId(prefix, id)).toBe(true);
  });

  it('gives 50,000 different ids in ascending order', () => {
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
  it('keeps ids ascending when the clock stands still or steps back', () => {
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

describe('isId', () => {
  const id = newId('pi_');
  const body = id.slice(3);

  it.each([
    ['another kind', `wd_${body}`],
    ['no prefix', body],
    ['upper case', id.toUpperCase()],
    ['an upper-case body', `pi_${body.toUpperCase()}`],
    ['a character short', id.slice(0, -1)],
    ['a character long', `${id}0`],
    ['a letter Crockford leaves out', `pi_${body.slice(0, -1)}u`],
    ['a time past 48 bits', `pi_8${body.slice(1)}`],
    ['a space before', ` ${id}`],
    ['a line break after', `${id}\n`],
    ['a path', `pi_../${body}`],
    ['nothing', ''],
  ])('[A-15] refuses %s', (_name, text) => {
    expect(isId('pi_', text)).toBe(false);
  });

  it('[A-15] refuses any text that was not made by newId', () => {
    fc.assert(fc.property(fc.string(), (text) => !isId('pi_', text) && !isId('pi_', `pi_${text}`)));
  });
});
