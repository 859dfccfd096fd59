/**
 * Reads JSON with every number as the text it was written as, so that `0.1` never passes through a float. Undefined when
 * the text is no JSON, which JSON itself cannot say.
 */
export function parseExactJson(text: string): unknown {
  try {
    return JSON.parse(text, asWritten);
  } catch {
    return undefined;
  }
}

/** ECMAScript hands the source text of primitives to revivers; the types do not know it yet. */
function asWritten(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? context?.source : value;
}
