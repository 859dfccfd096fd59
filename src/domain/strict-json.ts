import { type ForbiddenJson, type JsonRules, type MalformedJson, scanJson } from './json-scan.js';

/** A parsed value, or why there is none. The API answers `malformed` as `invalid_json`, `forbidden` as `invalid_request`. */
export type StrictJson = { readonly kind: 'value'; readonly value: unknown } | MalformedJson | ForbiddenJson;

/** Keeps a byte order mark, so that the scan refuses it, and throws on bytes that are not UTF-8. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | null {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Parses JSON as `JSON.parse` does, but refuses text that two readers could understand differently or that we could not
 * store: duplicate keys in one object, too much depth, NULs and unpaired surrogates, numbers that a double cannot hold, a
 * byte order mark, bytes that are not UTF-8. `__proto__` is a key like any other. Never throws.
 */
export function parseStrictJson(body: string | Uint8Array, rules: JsonRules = { maxDepth: 20 }): StrictJson {
  const text = typeof body === 'string' ? body : decode(body);
  if (text === null) return { kind: 'malformed', message: 'The bytes are not UTF-8.', position: null };
  return scanJson(text, rules) ?? { kind: 'value', value: JSON.parse(text) };
}
