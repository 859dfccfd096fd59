import type { LookupAddress } from 'node:dns';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { callbackify } from 'node:util';
import type { buildConnector } from 'undici';
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

type ConnectTarget = Pick<buildConnector.Options, 'hostname' | 'port' | 'protocol' | 'servername'>;

/**
 * Opens undici's connections, to addresses that the policy allows and to no others. A `lookup` hook alone would not
 * do: Node never calls it for an IP address.
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const open = callbackify((target: ConnectTarget) => openConnection(target, options));
  return (target, callback) => {
    open(target, (error, socket) => (error ? callback(error, null) : callback(null, socket)));
  };
}

/**
 * The addresses of a host, every one of them allowed: one bad address refuses the whole name, so that a name server
 * cannot mix a private address in, and the caller dials these and does not ask again.
 */
export async function allowedAddressesOf(host: string, options: ConnectorOptions): Promise<LookupAddress[]> {
  const family = isIP(host);
  const addresses = family === 0 ? await resolveName(host, options) : [{ address: host, family }];
  for (const { address } of addresses) refuseUnlessAllowed(address, options.policy);
  return addresses;
}

/** Refuses the far end of an open connection: the last check, on what the kernel really connected to. */
export function refuseForbiddenPeer(socket: Socket, policy: TargetPolicy): void {
  try {
    refuseUnlessAllowed(socket.remoteAddress ?? '', policy);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function openConnection(target: ConnectTarget, options: ConnectorOptions): Promise<Socket> {
  const secure = target.protocol === 'https:';
  const addresses = await allowedAddressesOf(target.hostname, options);
  const socket = connect({
    host: target.hostname,
    port: Number(target.port) || (secure ? 443 : 80),
    lookup: (_hostname, _options, done) => done(null, addresses),
    autoSelectFamily: true,
    noDelay: true,
    keepAlive: true,
  });
  await opened(socket, 'connect', options.timeoutMs);
  refuseForbiddenPeer(socket, options.policy);
  return secure ? startTls(socket, target, options.timeoutMs) : socket;
}

async function startTls(socket: Socket, target: ConnectTarget, timeoutMs: number): Promise<Socket> {
  const secured = connectTls({
    socket,
    host: target.hostname,
    servername: target.servername ?? undefined,
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
  });
  await opened(secured, 'secureConnect', timeoutMs);
  return secured;
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
  throw new OutboundFault('refused_target', 'The host leads to a private, local or reserved address.');
}

/** Waits until the socket has connected or finished its handshake; on failure the socket is destroyed. */
function opened(socket: Socket, event: 'connect' | 'secureConnect', timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy(new OutboundFault('timeout', 'The connection was not established in time.'));
    }, timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(openingFault(event, error));
    };
    socket.once('error', fail);
    socket.once(event, () => {
      clearTimeout(timer);
      socket.off('error', fail);
      resolve();
    });
  });
}

function openingFault(event: 'connect' | 'secureConnect', error: Error): OutboundFault {
  if (error instanceof OutboundFault) return error;
  const code = errorCodeOf(error) ?? 'unknown';
  return event === 'connect'
    ? new OutboundFault('connect', `The connection could not be established (${code}).`, error)
    : new OutboundFault('tls', `The TLS connection could not be established (${code}).`, error);
}
