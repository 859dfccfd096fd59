import ipaddr from 'ipaddr.js';

/** The cookie of a session. */
export interface ConsoleCookie {
  readonly name: string;
  readonly secure: boolean;
}

/**
 * Returns the cookie at this address. `__Host-` binds it to this very host, and browsers take it over https alone. Over
 * http its name has the port, because cookies ignore ports: two services on one machine would overwrite each other's.
 */
export function cookieOf(baseUrl: string): ConsoleCookie {
  const { protocol, port } = new URL(baseUrl);
  return protocol === 'https:'
    ? { name: '__Host-coffer', secure: true }
    : { name: `coffer_${port === '' ? '80' : port}`, secure: false };
}

/** Why this address refuses sign-ins: live passwords and cookies would travel in clear text. Null when it does not. */
export function refusalOf(baseUrl: string, hasLive: boolean): string | null {
  const { protocol, hostname } = new URL(baseUrl);
  if (!hasLive || protocol === 'https:' || isLoopback(hostname)) return null;
  return (
    `The console is off: this service has live networks, and BASE_URL (${baseUrl}) is neither https nor an address of ` +
    'this machine. Set BASE_URL to the https address.'
  );
}

/** Whether a host of a URL is this machine, so that nothing leaves it. */
export function isLoopback(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (address === 'localhost' || address.endsWith('.localhost')) return true;
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
