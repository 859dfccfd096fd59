/** RFC 9110, 11.4 and RFC 6750, 2.1: the scheme in upper or lower case, one space, the token. */
const BEARER = /^bearer ([^\s]+)$/i;

/** Returns the token from the values of all `Authorization` headers; null unless there is exactly one, with `Bearer`. */
export function bearerToken(values: readonly string[] | undefined): string | null {
  const [value, ...others] = values ?? [];
  if (value === undefined || others.length > 0) return null;
  return BEARER.exec(value)?.[1] ?? null;
}
