import { isIP } from 'node:net';
import { type DomainError, invalidParam } from '../../domain/errors.js';
import { isAllowedAddress, type TargetPolicy } from './target-address.js';

const LENGTH_MAX = 2048;
const UNPRIVILEGED_PORT_MIN = 1024;

/** Characters that URL parsers silently drop or turn into a slash, so that a URL could be read as another one. */
const MISLEADING = /[\s\\\p{Cc}]/u;

/**
 * Parses the URL of a receiver, or throws with the reason for its refusal (`invalid_request`, param `url`). An IP address
 * in any spelling is checked here; a name is checked when it is resolved, at every connection.
 */
export function parseTargetUrl(text: string, policy: TargetPolicy): URL {
  if (text.length > LENGTH_MAX) throw refused(`The URL must not be longer than ${LENGTH_MAX} characters.`);
  if (MISLEADING.test(text)) {
    throw refused('The URL must not contain white space, control characters or backslashes.');
  }
  if (!/^https?:\/\//i.test(text)) throw refused('The URL must start with https:// or http://.');
  const url = URL.parse(text);
  if (url === null) throw refused('The URL is malformed; a valid one looks like https://example.com/webhooks.');
  if (url.href.length > LENGTH_MAX) {
    throw refused(`The URL must not be longer than ${LENGTH_MAX} characters after encoding.`);
  }
  if (policy.environment === 'live' && url.protocol !== 'https:') {
    throw refused('A live endpoint must use https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw refused('The URL must not contain a user name or a password.');
  }
  // The parser leaves out the scheme's own port, 80 or 443. Of the privileged ports, only these two are allowed.
  if (!['', '80', '443'].includes(url.port) && Number(url.port) < UNPRIVILEGED_PORT_MIN) {
    throw refused('The port must be 80, 443 or between 1024 and 65535.');
  }
  if (!isAllowedHost(hostOf(url), policy)) {
    throw refused('The URL must not point to a private, local or reserved address.');
  }
  return url;
}

/** The host name or IP address, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Whether the host may be a target. `localhost` and names below it are this machine, without DNS (RFC 6761). */
function isAllowedHost(host: string, policy: TargetPolicy): boolean {
  if (/(^|\.)localhost\.?$/.test(host)) return isAllowedAddress('127.0.0.1', policy);
  return isIP(host) === 0 || isAllowedAddress(host, policy);
}

function refused(message: string): DomainError {
  return invalidParam('url', message);
}
