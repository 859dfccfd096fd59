import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from 'node:net';

/** A request as its bytes arrived. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
  /** By this process's clock, in milliseconds. */
  receivedAt: number;
}

/** A webhook receiver on this machine, with the requests that it received. */
export interface Receiver {
  port: number;
  /** Connections accepted since it started. */
  connections(): number;
  /** Requests received whole, in order; raw receivers record none. */
  requests: ReceivedRequest[];
  /** Drops every connection and stops. */
  close(): Promise<void>;
}

/** Starts an HTTP receiver; `answer` runs when the whole request has arrived. With `tls` it uses https. */
export async function startReceiver(answer: RequestListener, tls?: ServerOptions): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      requests.push({ method, path, headers, body: Buffer.concat(chunks), receivedAt: Date.now() });
      answer(request, response);
    });
  };
  return listen(tls === undefined ? createServer(listener) : createSecureServer(tls, listener), requests);
}

/** Starts a receiver that answers with raw bytes, valid HTTP or not. */
export async function startRawReceiver(onConnection: (socket: Socket) => void): Promise<Receiver> {
  return listen(createRawServer(onConnection), []);
}

async function listen(server: Server, requests: ReceivedRequest[]): Promise<Receiver> {
  const open = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // The tests expect that the client disconnects from a misbehaving receiver.
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server.address()),
    connections: () => connections,
    requests,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('The receiver does not listen on a port.');
  return address.port;
}
