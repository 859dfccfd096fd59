import { Agent, request } from 'undici';
import type { CallFormat, HttpCall } from './call-format.js';
import type { RpcOutcome } from './rpc-message.js';

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
/** The headers of an answer that matter to a client. */
const PASSED_ON = ['content-type', 'retry-after'];

/** The real node: forwards the client's requests, and answers the questions of faults. */
export class TrueNode {
  private readonly agent = new Agent({ keepAliveTimeout: 30_000 });

  constructor(
    private readonly target: ChaosTarget,
    private readonly format: CallFormat,
  ) {}

  /** Forwards a request unchanged. @throws when the node does not answer. */
  async forward({ path, body }: HttpCall): Promise<HttpReply> {
    const url = path === '' ? this.target.url : `${this.target.url.replace(/\/$/, '')}${path}`;
    const answer = await request(url, {
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
    const call = this.format.write(method, params);
    const asked = this.format.readRequest(call);
    const { body } = await this.forward(call);
    const [answer] = asked === null ? [] : (this.format.readAnswers(body, asked) ?? []);
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
