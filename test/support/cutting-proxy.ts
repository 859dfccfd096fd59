import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { connectToDatabase, databaseThrough } from './database-line.js';

/** PostgreSQL's message `ReadyForQuery`, outside a transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** The message with which PostgreSQL ends a connection at the command of an administrator. */
function terminated(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** A way to PostgreSQL that can end each new connection as soon as it is ready. */
export class CuttingProxy {
  isCutting = false;
  /** Connections that were ended. */
  cuts = 0;

  private constructor(
    private readonly server: Server,
    /** The address of the database by this way. */
    readonly url: string,
  ) {}

  static async start(databaseUrl: string): Promise<CuttingProxy> {
    const server = createServer((client) => proxy.pass(client, connectToDatabase(databaseUrl)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const proxy = new CuttingProxy(server, databaseThrough(databaseUrl, port));
    return proxy;
  }

  async stop(): Promise<void> {
    await once(this.server.close(), 'close');
  }

  private pass(client: Socket, database: Socket): void {
    let isReady = false;
    client.on('error', () => database.destroy()).on('close', () => database.destroy());
    database.on('error', () => client.destroy()).on('close', () => client.end());
    client.on('data', (bytes) => database.write(bytes));
    database.on('data', (bytes: Buffer) => {
      const becomesReady = !isReady && bytes.subarray(-READY.length).equals(READY);
      isReady ||= becomesReady;
      if (!becomesReady || !this.isCutting) {
        client.write(bytes);
        return;
      }
      this.cuts++;
      client.end(Buffer.concat([bytes, terminated()]));
      database.destroy();
    });
  }
}
