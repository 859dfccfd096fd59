import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';

/** Finds all addresses of a name; rejects when there are none. */
export type NameResolver = (hostname: string) => Promise<LookupAddress[]>;

const QUERY_TRIES = 2;

export interface DnsResolverOptions {
  /** Name servers as `address:port`; those of the system if left out. */
  servers?: readonly string[];
  /** Milliseconds before a query is repeated or fails. */
  queryTimeoutMs?: number;
}

/**
 * Queries the name servers directly. The system's resolver would run on libuv's thread pool, where two names whose servers
 * never answer would block the lookups of all other endpoints.
 */
export function dnsResolver({ servers, queryTimeoutMs = 2_500 }: DnsResolverOptions = {}): NameResolver {
  return async (hostname) => {
    // A new resolver per lookup reads a changed resolv.conf, and sends each query from a new port.
    const resolver = new Resolver({ timeout: queryTimeoutMs, tries: QUERY_TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
    return [...addressesOf(ipv4, 4), ...addressesOf(ipv6, 6)];
  };
}

/** The system's resolver, which also reads `localhost` and the hosts file: for receivers on a developer's machine. */
export const systemResolver: NameResolver = (hostname) => lookup(hostname, { all: true });

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}
