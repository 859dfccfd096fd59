import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { callbackify } from 'node:util';
import type { buildConnector } from 'undici';
import { allowedAddressesOf, type ConnectorOptions, refuseForbiddenPeer } from './address-guard.js';
import { errorCodeOf, OutboundFault } from './outbound-fault.js';

type ConnectTarget = Pick<buildConnector.Options, 'hostname' | 'port' | 'protocol' | 'servername'>;

/**
 * Opens undici's connections, only to addresses that the policy allows. A `lookup` hook alone would not be enough: Node
 * never calls it for an IP address.
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const open = callbackify((target: ConnectTarget) => openConnection(target, options));
  return (target, callback) => {
    open(target, (error, socket) => (error ? callback(error, null) : callback(null, socket)));
  };
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
