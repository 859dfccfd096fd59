/**
 * Parses JSON and keeps every number as its source text, so that `0.1` never passes through a float. Returns undefined,
 * which JSON cannot express, when the text is not JSON.
 */
export function parseExactJson(text: string): unknown {
  try {
    return JSON.parse(text, asWritten);
  } catch {
    return undefined;
  }
}

/** ECMAScript passes the source text of primitives to revivers; TypeScript's types do not declare it yet. */
function asWritten(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? context?.source : value;
}
