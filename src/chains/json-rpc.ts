import { Agent, request } from 'undici';
import { ChainUnavailable } from './chain.js';
import { parseRpcEndpoint, type RpcEndpoint } from './rpc-endpoint.js';

const BATCH_MAX = 50;
const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
const HTTP_OK = 200;
const HTTP_PAYLOAD_TOO_LARGE = 413;

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface JsonRpcOptions {
  /** For one HTTP request, from its start to the last byte of the answer. */
  readonly timeoutMs?: number;
}

/** The node understood the question and answered with an `error`. */
export class RpcRefusal extends ChainUnavailable {
  constructor(
    message: string,
    readonly code: number | null,
  ) {
    super(message);
  }
}

/** The node refused a batch as a whole, so perhaps for its size. */
class BatchRefusal extends ChainUnavailable {}

/**
 * JSON-RPC 2.0 over HTTP on kept connections to one node. Whatever is not a clean answer to the very question becomes
 * `ChainUnavailable`, in whose message the node's URL is only scheme, host and port.
 */
export class JsonRpc {
  private readonly endpoint: RpcEndpoint;
  private readonly agent: Agent;
  private readonly timeoutMs: number;
  private nextId = 1;
  private batchMax = BATCH_MAX;

  constructor(url: string, options: JsonRpcOptions = {}) {
    this.endpoint = parseRpcEndpoint(url);
    this.timeoutMs = options.timeoutMs ?? 10_000;
    this.agent = new Agent({ keepAliveTimeout: 30_000, maxResponseSize: RESPONSE_BYTES_MAX });
  }

  /** Asks one question. Throws `RpcRefusal` when the node answers with an error. */
  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const id = this.nextId++;
    const answer = await this.post({ jsonrpc: '2.0', id, method, params }, method);
    if (!isRecord(answer)) throw this.unavailable(`answered ${method} with something that is not an object`);
    // A node that could not read the request may put null where the id belongs.
    if (answer['id'] !== id && !(answer['id'] === null && 'error' in answer)) {
      throw this.unavailable(`answered another question than ${method}`);
    }
    return this.resultOf(answer, method);
  }

  /**
   * Asks many questions in as few HTTP requests as the node allows and gives the results in the order of `calls`. One
   * error or missing answer fails the whole: half an answer would be taken for all of it.
   */
  async batch(calls: readonly RpcCall[]): Promise<readonly unknown[]> {
    const results: unknown[] = [];
    while (results.length < calls.length) {
      const chunk = calls.slice(results.length, results.length + this.batchMax);
      try {
        results.push(...(await this.send(chunk)));
      } catch (error) {
        this.learnBatchSize(chunk.length, error);
      }
    }
    return results;
  }

  /** Lets go of the connections; requests under way fail. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  /** Halves the batch after a refusal; any other failure, and one call refused alone, goes to the caller. */
  private learnBatchSize(refused: number, error: unknown): void {
    if (error instanceof BatchRefusal) {
      this.batchMax = Math.ceil(refused / 2);
      return;
    }
    // Where even a single call fails, the size was not the reason.
    if (refused === 1) this.batchMax = BATCH_MAX;
    throw error;
  }

  private async send(calls: readonly RpcCall[]): Promise<readonly unknown[]> {
    const [first] = calls;
    if (calls.length === 1 && first !== undefined) return [await this.call(first.method, first.params)];
    const firstId = this.nextId;
    this.nextId += calls.length;
    const questions = calls.map((call, index) => ({ jsonrpc: '2.0', id: firstId + index, ...call }));
    const answers = this.answersById(await this.post(questions, 'a batch'), firstId, calls.length);
    return calls.map((call, index) => {
      const answer = answers.get(firstId + index);
      if (answer === undefined) throw this.unavailable(`left ${call.method} of a batch unanswered`);
      return this.resultOf(answer, call.method);
    });
  }

  private answersById(answer: unknown, firstId: number, count: number): Map<number, Record<string, unknown>> {
    if (isRecord(answer) && 'error' in answer) {
      throw new BatchRefusal(`${this.endpoint.label} refused a batch of ${count}: ${this.describe(answer['error'])}`);
    }
    if (!Array.isArray(answer)) throw this.unavailable('answered a batch with something that is not a list');
    const answers = new Map<number, Record<string, unknown>>();
    for (const entry of answer as readonly unknown[]) {
      const id = isRecord(entry) ? entry['id'] : undefined;
      const isAsked = typeof id === 'number' && Number.isInteger(id) && id >= firstId && id < firstId + count;
      if (!isRecord(entry) || !isAsked || answers.has(id)) {
        throw this.unavailable('answered a batch with an answer to no question, or with two to one');
      }
      answers.set(id, entry);
    }
    return answers;
  }

  private resultOf(answer: Record<string, unknown>, method: string): unknown {
    if ('error' in answer && answer['error'] !== null) {
      const code = isRecord(answer['error']) ? answer['error']['code'] : null;
      const message = `${this.endpoint.label} refused ${method}: ${this.describe(answer['error'])}`;
      throw new RpcRefusal(message, typeof code === 'number' ? code : null);
    }
    if (!('result' in answer)) throw this.unavailable(`answered ${method} without a result`);
    return answer['result'];
  }

  private async post(payload: unknown, what: string): Promise<unknown> {
    const { status, text } = await this.exchange(JSON.stringify(payload), what);
    if (status === HTTP_PAYLOAD_TOO_LARGE && Array.isArray(payload)) {
      throw new BatchRefusal(`${this.endpoint.label} refused a batch of ${payload.length}: HTTP ${status}`);
    }
    if (status !== HTTP_OK) throw this.unavailable(`answered ${what} with HTTP ${status}`);
    try {
      return JSON.parse(text);
    } catch {
      // The parser's message quotes the answer, which may quote our URL: it is no cause to keep.
      throw this.unavailable(`answered ${what} with something that is not JSON`);
    }
  }

  private async exchange(body: string, what: string): Promise<{ status: number; text: string }> {
    try {
      const response = await request(this.endpoint.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...this.endpoint.headers },
        body,
        dispatcher: this.agent,
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      if (response.statusCode === HTTP_OK) return { status: HTTP_OK, text: await response.body.text() };
      await response.body.dump();
      return { status: response.statusCode, text: '' };
    } catch (cause) {
      const reason = isRecord(cause) && cause['name'] === 'TimeoutError' ? ` within ${this.timeoutMs} ms` : '';
      throw this.unavailable(`did not answer ${what}${reason}`, { cause });
    }
  }

  private describe(error: unknown): string {
    const message = isRecord(error) && typeof error['message'] === 'string' ? error['message'] : 'no reason given';
    return this.endpoint.redact(message);
  }

  private unavailable(what: string, options?: { cause: unknown }): ChainUnavailable {
    return new ChainUnavailable(`${this.endpoint.label} ${what}.`, options);
  }
}

/** Whether a part of an answer is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
