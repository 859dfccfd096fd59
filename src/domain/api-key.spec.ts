import * as fc from 'fast-check';
import { API_KEY_PREFIX, hashApiKey, newApiKey, parseApiKey, redactApiKey } from './api-key.js';
import { ENVIRONMENTS } from './network.js';

const CHARACTERS = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz _\n');

/** A deterministic source of randomness that repeats the bytes. */
function repeating(bytes: readonly number[]): (size: number) => Uint8Array {
  let next = 0;
  return (size) => Uint8Array.from({ length: size }, () => bytes[next++ % bytes.length] ?? 0);
}

describe('newApiKey', () => {
  it.each([
    ['sandbox', 'sk_sb_'],
    ['live', 'pk_live_'],
  ] as const)('[spec 5] begins a key of the %s with %s', (environment, prefix) => {
    const key = newApiKey(environment);
    expect(key).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{46}$`));
    expect(parseApiKey(key)).toEqual({ environment, last4: key.slice(-4) });
  });

  it('uses every base62 character for the same share of the bytes and discards the rest', () => {
    const allBytes = Array.from({ length: 256 }, (_, byte) => byte);
    const random = repeating(allBytes);
    const counts = new Map<string, number>();
    // 31 keys of 40 characters use 1,240 accepted bytes: five rounds of the 248 that four times 62 allow.
    for (let i = 0; i < 31; i++) {
      for (const character of newApiKey('sandbox', random).slice('sk_sb_'.length, -6)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    expect(new Set(counts.values())).toEqual(new Set([20]));
  });

  it('keeps its format, so that keys in use stay valid', () => {
    expect(newApiKey('sandbox', repeating([0]))).toBe(`sk_sb_${'0'.repeat(40)}4agmWU`);
    expect(newApiKey('live', repeating([61]))).toBe(`pk_live_${'z'.repeat(40)}09FWNN`);
  });

  it('is different each time', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => newApiKey('live'))).size).toBe(1_000);
  });
});

describe('parseApiKey', () => {
  const key = newApiKey('sandbox');

  it('[B-19] refuses every change of one character', () => {
    const anyEnvironment = fc.constantFrom(...ENVIRONMENTS).map((environment) => newApiKey(environment));
    fc.assert(
      fc.property(anyEnvironment, fc.nat(), fc.constantFrom(...CHARACTERS), (text, at, character) => {
        const index = at % text.length;
        fc.pre(text.charAt(index) !== character);
        expect(parseApiKey(text.slice(0, index) + character + text.slice(index + 1))).toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['nothing', ''],
    ['a prefix alone', 'sk_sb_'],
    ['the other prefix on the same characters', key.replace('sk_sb_', 'pk_live_')],
    ['a prefix in capitals', key.replace('sk_sb_', 'SK_SB_')],
    ['a space after', `${key} `],
    ['a line break after', `${key}\n`],
    ['the scheme before', `Bearer ${key}`],
    ['a character short', key.slice(0, -1)],
    ['a character long', `${key}0`],
    ['two keys', key + key],
    ['its redacted form', redactApiKey(key)],
  ])('[B-19] refuses %s', (_name, text) => {
    expect(parseApiKey(text)).toBeNull();
  });

  it('answers null to any text', () => {
    fc.assert(fc.property(fc.string(), (text) => parseApiKey(text) === null));
  });
});

describe('hashApiKey', () => {
  it('[B-26] is the SHA-256 in hex, which reveals nothing of the key', () => {
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('redactApiKey', () => {
  it.each(ENVIRONMENTS)('[B-25] keeps the prefix and the last four characters of a key of %s', (environment) => {
    const key = newApiKey(environment);
    expect(redactApiKey(key)).toBe(`${API_KEY_PREFIX[environment]}…${key.slice(-4)}`);
  });

  it('[B-25] finds every key in a longer text, and leaves the rest as it is', () => {
    const [first, second] = [newApiKey('sandbox'), newApiKey('live')];
    const text = `authorization: Bearer ${first}, x="${second}"`;
    expect(redactApiKey(text)).toBe(
      `authorization: Bearer sk_sb_…${first.slice(-4)}, x="pk_live_…${second.slice(-4)}"`,
    );
  });

  it('[B-25] shows nothing of a truncated key', () => {
    expect(redactApiKey(newApiKey('sandbox').slice(0, 30))).toBe('sk_sb_…');
  });

  it('changes nothing when applied again', () => {
    const once = redactApiKey(newApiKey('live'));
    expect(redactApiKey(once)).toBe(once);
  });
});
