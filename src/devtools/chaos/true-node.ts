import { Agent, request } from 'undici';
import { readAnswers, type RpcOutcome } from './rpc-message.js';

/** The node whose answers are falsified. */
export interface ChaosTarget {
  readonly url: string;
  /** Sent with every request, such as a password that the URL must not show. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An HTTP answer as it came or goes. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const TIMEOUT_MS = 30_000;
/** The headers of an answer that a client of JSON-RPC acts on. */
const PASSED_ON = ['content-type', 'retry-after'];

/** The real node: what it says to the client's requests, and what a lie has to know of it to be a good one. */
export class TrueNode {
  private readonly agent = new Agent({ keepAliveTimeout: 30_000 });

  constructor(private readonly target: ChaosTarget) {}

  /** Passes a request on as it is. @throws when the node does not answer. */
  async forward(body: string): Promise<HttpReply> {
    const answer = await request(this.target.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.target.headers },
      body,
      dispatcher: this.agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const headers = PASSED_ON.flatMap((name) => {
      const value = answer.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    });
    return { status: answer.statusCode, headers: Object.fromEntries(headers), body: await answer.body.text() };
  }

  /** Asks the node for ourselves. @throws when it gives no clean answer. */
  async ask(method: string, ...params: readonly unknown[]): Promise<RpcOutcome> {
    const question = { jsonrpc: '2.0', id: 1, method, params: [...params] };
    const { body } = await this.forward(JSON.stringify(question));
    const [answer] = readAnswers(body, { questions: [question], isBatch: false }) ?? [];
    if (answer === undefined) throw new Error(`The node gave no clean answer to ${method}.`);
    return 'error' in answer ? { error: answer.error } : { result: answer.result };
  }

  /** The result of a question; null when the node refuses it. */
  async resultOf(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const outcome = await this.ask(method, ...params);
    return 'error' in outcome ? null : outcome.result;
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}
