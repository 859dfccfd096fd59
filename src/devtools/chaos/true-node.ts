import { Agent, request } from 'undici';
import { readAnswers, type RpcOutcome } from './rpc-message.js';

/** The node behind the proxy. */
export interface ChaosTarget {
  readonly url: string;
  /** Headers of every request, such as credentials that the URL must not show. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An HTTP answer. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const TIMEOUT_MS = 30_000;
/** The headers of an answer that matter to a JSON-RPC client. */
const PASSED_ON = ['content-type', 'retry-after'];

/** The real node: forwards the client's requests, and answers the questions of faults. */
export class TrueNode {
  private readonly agent = new Agent({ keepAliveTimeout: 30_000 });

  constructor(private readonly target: ChaosTarget) {}

  /** Forwards a request unchanged. @throws when the node does not answer. */
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

  /** Makes a call of our own. @throws when the answer is not valid. */
  async ask(method: string, ...params: readonly unknown[]): Promise<RpcOutcome> {
    const question = { jsonrpc: '2.0', id: 1, method, params: [...params] };
    const { body } = await this.forward(JSON.stringify(question));
    const [answer] = readAnswers(body, { questions: [question], isBatch: false }) ?? [];
    if (answer === undefined) throw new Error(`The node returned no valid answer to ${method}.`);
    return 'error' in answer ? { error: answer.error } : { result: answer.result };
  }

  /** Returns the result of a call; null when the node refuses it. */
  async resultOf(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const outcome = await this.ask(method, ...params);
    return 'error' in outcome ? null : outcome.result;
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}
