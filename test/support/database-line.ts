import { connect, type Socket } from 'node:net';

/** Opens a connection to the server of a database, by TCP or by its Unix socket, without PostgreSQL's protocol. */
export function connectToDatabase(databaseUrl: string): Socket {
  const { hostname, port } = new URL(databaseUrl);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(Number(port), host);
}

/** Returns the address of a database by another way, which listens on a port of this machine. */
export const databaseThrough = (databaseUrl: string, port: number): string =>
  Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href;
