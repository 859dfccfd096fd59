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

/** Only a text with this many digits in a row, outside of a string, can have an integer that no number holds exactly. */
const LONG_INTEGER = /(?:^|[[:,\s])-?\d{16}/;

/** Parses JSON; an integer that no number holds exactly becomes a bigint. @throws SyntaxError */
export function parseJsonWithBigints(text: string): unknown {
  // The reviver is slow, and answers of chains have megabytes.
  return LONG_INTEGER.test(text) ? JSON.parse(text, withBigints) : JSON.parse(text);
}

function withBigints(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value);
  const source = context?.source ?? '';
  return isRounded && /^-?\d+$/.test(source) ? BigInt(source) : value;
}
