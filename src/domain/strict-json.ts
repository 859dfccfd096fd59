import { type ForbiddenJson, type JsonRules, type MalformedJson, scanJson } from './json-scan.js';

/** What became of a text: its value, or the reason there is none. `malformed` is `invalid_json`, `forbidden` is `invalid_request`. */
export type StrictJson = { readonly kind: 'value'; readonly value: unknown } | MalformedJson | ForbiddenJson;

/** Keeps a byte order mark, so that it is refused, and throws on bytes that are not UTF-8 instead of replacing them. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | null {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Reads JSON as `JSON.parse` does, but refuses what two readers could understand differently or what we could not keep:
 * a key twice in one object, too much depth, NULs and unpaired surrogates in strings and keys, numbers that would turn
 * into another integer or into infinity, a byte order mark, bytes that are not UTF-8. `__proto__` is a key like any other. Never throws.
 */
export function parseStrictJson(body: string | Uint8Array, rules: JsonRules = { maxDepth: 20 }): StrictJson {
  const text = typeof body === 'string' ? body : decode(body);
  if (text === null) return { kind: 'malformed', message: 'The bytes are not UTF-8.', position: null };
  return scanJson(text, rules) ?? { kind: 'value', value: JSON.parse(text) };
}
