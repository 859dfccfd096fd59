import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { SeededRandom } from '../../src/devtools/chaos/seeded-random.js';
import { SHOPS } from './shops.ts';

/** The servers of the shops on this machine: each has a port of its own, as another host would be. */
export class Receivers {
  private readonly servers: readonly Server[];
  private readonly today: () => number;
  private readonly random: SeededRandom;
  private readonly ports: number[] = [];

  private constructor(today: () => number, random: SeededRandom) {
    this.today = today;
    this.random = random;
    this.servers = SHOPS.map((_shop, index) => createServer((_request, response) => this.receive(index, response)));
  }

  /** @param today the day of the month, from 0 */
  static async listen(today: () => number, random: SeededRandom): Promise<Receivers> {
    const receivers = new Receivers(today, random);
    for (const server of receivers.servers) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      receivers.ports.push(address === null || typeof address === 'string' ? 0 : address.port);
    }
    return receivers;
  }

  /** The URL of a shop, by its place in `SHOPS`. */
  urlOf(shop: number): string {
    return `http://127.0.0.1:${this.ports[shop] ?? 0}/webhooks/coffer`;
  }

  close(): void {
    for (const server of this.servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  private receive(index: number, response: ServerResponse): void {
    const answer = SHOPS[index]?.answer(this.today(), this.random) ?? 200;
    if (answer === 'hang') return;
    if (answer === 'reset') response.destroy();
    else if (answer === 302) response.writeHead(302, { Location: '/login' }).end();
    else response.writeHead(answer, { 'Content-Type': 'text/plain' }).end(TEXTS[answer] ?? '');
  }
}

const TEXTS: Readonly<Record<number, string>> = {
  200: 'ok',
  401: 'invalid signature',
  404: 'Cannot POST /webhooks/coffer',
  500: 'Internal Server Error: relation "license_keys" is locked',
  503: 'upstream connect error or disconnect/reset before headers',
};
