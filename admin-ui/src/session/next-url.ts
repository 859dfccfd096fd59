/** Where to go after the sign-in. */
export interface NextSearch {
  readonly next?: string | undefined;
}

/**
 * Reads `?next=`. Only a path of the console is taken: an address with a host, also one that a browser would make of
 * `//host` or `/\host`, could lead to a page that imitates this one.
 */
export function nextSearch(search: Record<string, unknown>): NextSearch {
  const { next } = search;
  // Set in any case: the router keeps parameters that are left out.
  return { next: typeof next === 'string' && isPath(next) ? next : undefined };
}

function isPath(next: string): boolean {
  if (!/^\/(?![/\\])/.test(next) || /\p{Cc}|\\/u.test(next)) return false;
  const { origin } = window.location;
  return URL.canParse(next, origin) && new URL(next, origin).origin === origin && !next.startsWith('/sign-in');
}
