import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { listenLocally } from './fake-node.js';

const QUESTION = z.object({ jsonrpc: z.string(), id: z.unknown(), method: z.string(), params: z.array(z.unknown()) });
const REQUEST = z.union([QUESTION, z.array(QUESTION)]);
const ANSWER = z.looseObject({ id: z.unknown() });

export type ProxyQuestion = z.infer<typeof QUESTION>;
export type ProxyAnswer = z.infer<typeof ANSWER>;

/** What becomes of one question: an answer made up, or the real node's, asked with this question or another. */
export type Lie = (question: ProxyQuestion, ask: (question: ProxyQuestion) => Promise<ProxyAnswer>) => Promise<unknown>;

/** Stands between the service and a real node, and passes everything on unless a spec makes it lie. */
export class ProxyNode {
  /** Null = honest. What it returns is the `result` of the answer; what it throws breaks the connection. */
  lie: Lie | null = null;
  /** Questions so far, by method. */
  readonly asked = new Map<string, number>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
    /** The node behind; may be replaced at any time. */
    public upstream: string,
  ) {}

  static async start(upstream: string): Promise<ProxyNode> {
    const server = createServer();
    const proxy = new ProxyNode(server, await listenLocally(server), upstream);
    server.on('request', (request, response) => void proxy.serve(request, response));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** How often a method was asked so far. */
  count(method: string): number {
    return this.asked.get(method) ?? 0;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const asked = REQUEST.parse(JSON.parse(await text(request)));
      const answers = await Promise.all([asked].flat().map((question) => this.answer(question)));
      response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]));
    } catch {
      request.socket.destroy();
    }
  }

  private async answer(question: ProxyQuestion): Promise<unknown> {
    this.asked.set(question.method, this.count(question.method) + 1);
    const { lie } = this;
    if (lie === null) return this.ask(question);
    return { jsonrpc: '2.0', id: question.id, result: await lie(question, (other) => this.ask(other)) };
  }

  private async ask(question: ProxyQuestion): Promise<ProxyAnswer> {
    const response = await fetch(this.upstream, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
    });
    return ANSWER.parse(await response.json());
  }
}

const HEADER = z.object({ number: z.string(), hash: z.string() });
const numberOf = (hex: string): number => Number.parseInt(hex, 16);
const hexOf = (height: number): string => `0x${Math.max(0, height).toString(16)}`;

/**
 * A node that has not got the newest `blocks` blocks yet, as it answers in the wild: an older head, null for blocks it
 * lacks, and an empty list, not an error, for their logs.
 */
export function behind(blocks: number): Lie {
  return async (question, ask) => {
    const { method, params } = question;
    const real = await ask({ ...question, method: 'eth_blockNumber', params: [] });
    const head = numberOf(String(real['result'])) - blocks;
    const atMost = (height: number): Promise<ProxyAnswer> =>
      ask({ ...question, method: 'eth_getBlockByNumber', params: [hexOf(height), false] });
    if (method === 'eth_blockNumber') return hexOf(head);
    if (method === 'eth_getBlockByNumber') {
      if (params[0] === 'latest') return (await atMost(head))['result'];
      if (params[0] === 'finalized') return (await atMost(head - 2))['result'];
      return numberOf(String(params[0])) > head ? null : (await ask(question))['result'];
    }
    if (method === 'eth_getBlockTransactionCountByHash' || method === 'eth_getLogs') {
      const hash =
        method === 'eth_getLogs' ? z.object({ blockHash: z.string() }).parse(params[0]).blockHash : params[0];
      const block = await ask({ ...question, method: 'eth_getBlockByHash', params: [hash, false] });
      const isMissing = block['result'] === null || numberOf(HEADER.parse(block['result']).number) > head;
      if (isMissing) return method === 'eth_getLogs' ? [] : null;
    }
    return (await ask(question))['result'];
  };
}
