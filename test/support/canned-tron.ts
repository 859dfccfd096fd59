import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';

/** What a node answers to one path: JSON, or any text with any status. */
export type CannedAnswer =
  | { readonly json: unknown }
  | { readonly body: string; readonly status?: number; readonly headers?: Readonly<Record<string, string>> };

/** A node of Tron that answers what a spec sets, by the path of the call; everything else is `{}`. */
export class CannedTron {
  readonly asked: { readonly path: string; readonly body: string; readonly headers: IncomingHttpHeaders }[] = [];
  answers: Readonly<Record<string, CannedAnswer | ((body: string) => CannedAnswer)>> = {};

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {
    server.on('request', (request, response) => void this.serve(request, response));
  }

  static async start(): Promise<CannedTron> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The node does not listen.');
    return new CannedTron(server, `http://127.0.0.1:${address.port}`);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').slice(1);
    const body = await text(request);
    this.asked.push({ path, body, headers: request.headers });
    const canned = this.answers[path] ?? { json: {} };
    const answer = typeof canned === 'function' ? canned(body) : canned;
    if ('json' in answer) response.end(JSON.stringify(answer.json));
    else response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  }
}
