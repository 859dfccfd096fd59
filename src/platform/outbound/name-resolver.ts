import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';

/** Finds all addresses of a name; rejects when there are none. */
export type NameResolver = (hostname: string) => Promise<LookupAddress[]>;

const QUERY_TRIES = 2;

export interface DnsResolverOptions {
  /** Name servers as `address:port`; those of the system if left out. */
  servers?: readonly string[];
  /** Milliseconds before a query is sent again, or given up. */
  queryTimeoutMs?: number;
}

/**
 * Asks the name servers by queries of our own. The system's resolver would run on libuv's thread pool, where two
 * names whose servers never answer hold up the lookups of every other endpoint.
 */
export function dnsResolver({ servers, queryTimeoutMs = 2_500 }: DnsResolverOptions = {}): NameResolver {
  return async (hostname) => {
    // A resolver per lookup sees a changed resolv.conf, and sends each query from a fresh port.
    const resolver = new Resolver({ timeout: queryTimeoutMs, tries: QUERY_TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
    return [...addressesOf(ipv4, 4), ...addressesOf(ipv6, 6)];
  };
}

/** The system's resolver, which also knows `localhost` and the hosts file: for receivers on a developer's machine. */
export const systemResolver: NameResolver = (hostname) => lookup(hostname, { all: true });

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}
