import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const QUESTION = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) });
const REQUEST = z.union([QUESTION, z.array(QUESTION)]);

export type RpcQuestion = z.infer<typeof QUESTION>;

export interface RpcAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The HTTP answer, or a way not to answer. */
export type HttpAnswer =
  | { readonly status?: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  | 'hang up'
  | 'hang up halfway'
  | 'say nothing';

type Methods = Readonly<Record<string, (...params: readonly unknown[]) => unknown>>;

/** A node with answers that a spec defines, honest or not. */
export class FakeNode {
  /** Decides the final HTTP answer: `answers` has one entry per question of the request. */
  speak: (answers: readonly RpcAnswer[], isBatch: boolean) => HttpAnswer = honestly;
  /** Every HTTP request so far. */
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly questions: readonly RpcQuestion[] }[] = [];

  private constructor(
    private readonly server: Server,
    readonly port: number,
    /** One function per method: it returns the result, or throws the message of an error. */
    public methods: Methods,
  ) {}

  static async start(methods: Methods = {}): Promise<FakeNode> {
    const server = createServer();
    const node = new FakeNode(server, await listenLocally(server), methods);
    server.on('request', (request, response) => void node.serve(request, response));
    return node;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = REQUEST.parse(JSON.parse(await text(request)));
    const questions = [asked].flat();
    this.requests.push({ headers: request.headers, questions });
    const answers = questions.map((question) => this.answer(question));
    const spoken = this.speak(answers, Array.isArray(asked));
    if (spoken === 'hang up') request.socket.destroy();
    else if (spoken === 'hang up halfway') response.write('{"jsonrpc"', () => request.socket.destroy());
    else if (spoken !== 'say nothing') response.writeHead(spoken.status ?? 200, spoken.headers).end(spoken.body);
  }

  private answer({ id, method, params }: RpcQuestion): RpcAnswer {
    const answer = this.methods[method];
    if (answer === undefined) return { id, error: { code: -32_601, message: `method ${method} not found` } };
    try {
      return { id, result: answer(...params) };
    } catch (error) {
      return { id, error: { code: -32_000, message: error instanceof Error ? error.message : String(error) } };
    }
  }
}

/** The answer of an honest server. */
export function honestly(answers: readonly RpcAnswer[], isBatch: boolean): HttpAnswer {
  const body = answers.map((answer) => ({ jsonrpc: '2.0', ...answer }));
  return { body: JSON.stringify(isBatch ? body : body[0]) };
}

/** Listens on a free port of this machine and returns the port. */
export async function listenLocally(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.');
  return address.port;
}
