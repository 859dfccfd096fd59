import { assert, integer, pre, property, string } from 'fast-check';
import { DomainError } from '../domain/errors.js';
import { parseIdempotencyKey } from './idempotency-key.js';

function codeOf(values: string[] | undefined): string {
  try {
    parseIdempotencyKey(values);
    return 'accepted';
  } catch (error) {
    return error instanceof DomainError ? error.code : 'defect';
  }
}

const printable = string({ unit: integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });

describe('parseIdempotencyKey', () => {
  it('[C-31] distinguishes a missing key from an invalid one', () => {
    expect(codeOf(undefined)).toBe('missing_idempotency_key');
    expect(codeOf([])).toBe('missing_idempotency_key');
  });

  it.each([
    ['empty', ['']],
    ['blank', ['   ']],
    ['empty in quotes', ['""']],
    ['256 characters', ['k'.repeat(256)]],
    ['not ASCII', ['schlüssel']],
    ['a control character', ['a\tb']],
    ['sent twice', ['a', 'a']],
    ['joined by a proxy', ['a, b']],
    ['an open quote', ['"abc']],
    ['a bad escape', ['"a\\b"']],
    ['parameters after the string', ['"abc";v=1']],
  ])('[C-32] refuses a key that is %s', (_why, values) => {
    expect(codeOf(values)).toBe('invalid_idempotency_key');
  });

  it('[C-32] accepts 1 to 255 printable characters', () => {
    expect(parseIdempotencyKey(['k'])).toBe('k');
    expect(parseIdempotencyKey(['k'.repeat(255)])).toHaveLength(255);
  });

  it('[C-32] reads a bare value and its quoted string as the same key', () => {
    assert(
      property(printable, (text) => {
        pre(text.length > 0 && text.length <= 255 && !text.includes(',') && !text.startsWith('"'));
        const quoted = `"${text.replace(/["\\]/g, (character) => `\\${character}`)}"`;
        expect(parseIdempotencyKey([quoted])).toBe(parseIdempotencyKey([text]));
      }),
    );
  });
});
