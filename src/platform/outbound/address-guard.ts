import type { LookupAddress } from 'node:dns';
import { isIP, type Socket } from 'node:net';
import { withDeadline } from './deadline.js';
import type { NameResolver } from './name-resolver.js';
import { errorCodeOf, OutboundFault } from './outbound-fault.js';
import { isAllowedAddress, type TargetPolicy } from './target-address.js';

export interface ConnectorOptions {
  policy: TargetPolicy;
  resolve: NameResolver;
  /** Milliseconds for each step: the name, the TCP connection and the TLS handshake. */
  timeoutMs: number;
}

/**
 * Returns the addresses of a host if all of them are allowed. One forbidden address refuses the whole name, so that a name
 * server cannot mix a private address in. The caller connects to these addresses without another lookup.
 */
export async function allowedAddressesOf(host: string, options: ConnectorOptions): Promise<LookupAddress[]> {
  const family = isIP(host);
  const addresses = family === 0 ? await resolveName(host, options) : [{ address: host, family }];
  for (const { address } of addresses) refuseUnlessAllowed(address, options.policy);
  return addresses;
}

/** Checks the remote address of an open connection: the last check, on the address that the kernel connected to. */
export function refuseForbiddenPeer(socket: Socket, policy: TargetPolicy): void {
  try {
    refuseUnlessAllowed(socket.remoteAddress ?? '', policy);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function resolveName(host: string, { resolve, timeoutMs }: ConnectorOptions): Promise<LookupAddress[]> {
  const late = 'The host name could not be resolved in time.';
  const addresses = await withDeadline(timeoutMs, late, () => resolve(host)).catch((error: unknown) => {
    if (error instanceof OutboundFault) throw error;
    throw new OutboundFault('dns', `The host name could not be resolved (${errorCodeOf(error) ?? 'unknown'}).`, error);
  });
  if (addresses.length === 0) throw new OutboundFault('dns', 'The host name has no address.');
  return addresses;
}

function refuseUnlessAllowed(address: string, policy: TargetPolicy): void {
  if (isAllowedAddress(address, policy)) return;
  throw new OutboundFault('refused_target', 'The host resolves to a private, local or reserved address.');
}
