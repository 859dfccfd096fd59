import { DomainError } from '../domain/errors.js';

const KEY_MAX_LENGTH = 255;
/** A structured-field string: printable ASCII in quotes, with `\"` and `\\` as its only escapes (RFC 9651, 3.3.3). */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/**
 * Parses the idempotency key from the values of all `Idempotency-Key` headers of a request. `abc` and `"abc"` are the same
 * key. A comma in a bare value is refused, because proxies join two headers with one.
 * Throws `missing_idempotency_key` or `invalid_idempotency_key`.
 */
export function parseIdempotencyKey(values: readonly string[] | undefined): string {
  const [value, ...others] = values ?? [];
  if (value === undefined) {
    throw new DomainError('missing_idempotency_key', 'Every POST needs the header Idempotency-Key, such as a UUID.');
  }
  if (others.length > 0) throw invalid('was sent more than once');
  const key = value.startsWith('"') ? unquote(value) : bare(value);
  if (key.length === 0) throw invalid('is empty');
  if (key.length > KEY_MAX_LENGTH) throw invalid(`is longer than ${KEY_MAX_LENGTH} characters`);
  if (!PRINTABLE_ASCII.test(key)) throw invalid('must contain only printable ASCII characters');
  return key;
}

function unquote(value: string): string {
  const inner = QUOTED.exec(value)?.[1];
  if (inner === undefined) throw invalid('is not a well-formed quoted string');
  return inner.replace(/\\(["\\])/g, '$1');
}

function bare(value: string): string {
  if (value.includes(',')) throw invalid('has several values');
  return value.trim();
}

function invalid(why: string): DomainError {
  return new DomainError('invalid_idempotency_key', `The header Idempotency-Key ${why}.`);
}
