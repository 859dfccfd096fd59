import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { verifySignature, type Verdict } from './demo-signature.js';
import { poll } from '../poll.js';

const BODY_BYTES_MAX = 1024 * 1024;
const POLL_MS = 50;

const envelope = z.object({
  id: z.string(),
  event_type: z.string(),
  data: z.object({ id: z.string(), status: z.string() }),
});

/** A delivery as it was received. */
export interface Received {
  readonly event: z.infer<typeof envelope> | null;
  readonly header: string;
  readonly bytes: number;
  readonly verdict: Verdict;
}

/** A merchant's webhook receiver on this machine. */
export class DemoReceiver {
  private readonly received: Received[] = [];
  private secret = '';

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {
    server.on('request', (req, res) => void this.receive(req, res).catch(() => res.destroy()));
  }

  /** Listens on a free port of 127.0.0.1. */
  static async open(): Promise<DemoReceiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The receiver has no port.');
    return new DemoReceiver(server, `http://127.0.0.1:${address.port}/webhooks`);
  }

  /** Sets the secret that verifies the deliveries from now on. */
  trust(secret: string): void {
    this.secret = secret;
  }

  /** Waits for the first delivery about a resource; null when none arrives in time. */
  waitFor(resourceId: string, withinMs: number): Promise<Received | null> {
    const find = () => this.received.find(({ event }) => event?.data.id === resourceId) ?? null;
    return poll(find, { everyMs: POLL_MS, withinMs });
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** Verifies the received bytes, and acknowledges only valid deliveries. */
  private async receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of req as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) throw new Error('The body is too large.');
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks);
    const header = String(req.headers['x-webhook-signature'] ?? '');
    const verdict = verifySignature(header, body, this.secret, Math.floor(Date.now() / 1000));
    this.received.push({ event: readEvent(body), header, bytes, verdict });
    res.writeHead(verdict.valid ? 204 : 400).end();
  }
}

function readEvent(body: Buffer): Received['event'] {
  try {
    return envelope.parse(JSON.parse(body.toString('utf8')));
  } catch {
    return null;
  }
}
