import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Environment } from '../../domain/network.js';

/** What one request may reach: the endpoint's environment, and the setting that opens private targets to its sandbox. */
export interface TargetPolicy {
  environment: Environment;
  allowPrivate: boolean;
}

/**
 * Ranges that `allowPrivate` opens: a receiver on the developer's machine or network. Link-local stays closed, for
 * 169.254.169.254 hands out a cloud machine's credentials.
 */
const PRIVATE_RANGES: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal']);

/** All that IANA has allocated as global unicast. Outside it, ipaddr.js calls even `::127.0.0.1` unicast. */
const GLOBAL_UNICAST_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether a policy opens private targets: never for live, whatever the setting says. */
export function opensPrivateTargets({ environment, allowPrivate }: TargetPolicy): boolean {
  return environment === 'sandbox' && allowPrivate;
}

/** Whether a request may be sent to this IP address, in the form that the resolver or the socket gives it. */
export function isAllowedAddress(address: string, policy: TargetPolicy): boolean {
  // ipaddr.js also reads `127.1` and `fe80::1%eth0`; neither is an address that a socket should be handed.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === 'unicast') return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST_IPV6);
  return opensPrivateTargets(policy) && PRIVATE_RANGES.has(range);
}
