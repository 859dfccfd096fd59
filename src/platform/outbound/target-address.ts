import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Environment } from '../../domain/network.js';

/** The targets that a request may reach: the endpoint's environment, and whether sandbox targets may be private. */
export interface TargetPolicy {
  environment: Environment;
  allowPrivate: boolean;
}

/**
 * Ranges that `allowPrivate` opens, for a receiver on the developer's machine or network. Link-local stays closed, because
 * 169.254.169.254 returns the credentials of a cloud machine.
 */
const PRIVATE_RANGES: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal']);

/** IANA's global unicast range. Outside of it, ipaddr.js calls even `::127.0.0.1` unicast. */
const GLOBAL_UNICAST_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether a policy opens private targets; never for live, whatever the setting is. */
export function opensPrivateTargets({ environment, allowPrivate }: TargetPolicy): boolean {
  return environment === 'sandbox' && allowPrivate;
}

/** Whether a request may be sent to this IP address, as the resolver or the socket formats it. */
export function isAllowedAddress(address: string, policy: TargetPolicy): boolean {
  // ipaddr.js also accepts `127.1` and `fe80::1%eth0`; no socket should get such an address.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === 'unicast') return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST_IPV6);
  return opensPrivateTargets(policy) && PRIVATE_RANGES.has(range);
}
