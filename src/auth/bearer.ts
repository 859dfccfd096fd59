/** RFC 9110, 11.4 and RFC 6750, 2.1: the scheme in any case, one space, the token. */
const BEARER = /^bearer ([^\s]+)$/i;

/** The token of the one `Authorization: Bearer` header, given the values of every such header; null for anything else. */
export function bearerToken(values: readonly string[] | undefined): string | null {
  const [value, ...others] = values ?? [];
  if (value === undefined || others.length > 0) return null;
  return BEARER.exec(value)?.[1] ?? null;
}
