/**
 * The content security policy of the console. Mantine writes its variables, and the scroll lock of a dialog its rules, into
 * style elements, which carry the nonce of the page; everything else comes from files of this host.
 */
export function consolePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
