import { parseJsonWithBigints } from '../../domain/exact-json.js';
import { ChainUnavailable, NodeBusy } from '../chain.js';
import type { RpcEndpoint } from './rpc-endpoint.js';
import { limitOf, type RpcLimit } from './rpc-limits.js';
import { AnswerTooLarge, AnswerTooLate, RpcTransport, type RpcTransportOptions } from './rpc-transport.js';

/** The most calls in one HTTP request. */
export const BATCH_MAX = 100;
const HTTP_OK = 200;
/** How gateways refuse a request that is too large, or a batch at all. */
const BATCH_REFUSED: readonly number[] = [400, 403, 413];
/** Pause after a rate limit error that names no time. */
const RATE_PAUSE_MS = 1_000;

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export type JsonRpcOptions = RpcTransportOptions;

/** A node's answer to one call of a batch: a result, or an error of that call alone. */
export type RpcOutcome = { readonly result: unknown } | { readonly refusal: RpcRefusal };

/** The node answered a call with an `error`. */
export class RpcRefusal extends ChainUnavailable {
  constructor(
    message: string,
    readonly code: number | null,
  ) {
    super(message);
  }
}

/** The node refused a whole batch, or refused it for its size. */
class BatchRefusal extends ChainUnavailable {}

/**
 * JSON-RPC 2.0 with one node. Any answer that is not valid for its call becomes `ChainUnavailable`. Integers of results that
 * no number holds exactly are bigints. Messages show only scheme, host and port of the node's URL.
 */
export class JsonRpc {
  private readonly transport: RpcTransport;
  private readonly endpoint: RpcEndpoint;
  private nextId = 1;
  /** The batch size that the node accepts, learned from its refusals. */
  private batchMax = BATCH_MAX;
  /** The batch size that it answers in time. It grows again, because slowness passes; a size limit does not. */
  private swiftMax = BATCH_MAX;

  constructor(
    url: string,
    private readonly options: JsonRpcOptions = {},
  ) {
    this.transport = new RpcTransport(url, options);
    this.endpoint = this.transport.endpoint;
  }

  /** Makes one call. Throws `RpcRefusal` when the node answers with an error. */
  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const id = this.nextId++;
    const answer = await this.post({ jsonrpc: '2.0', id, method, params }, method);
    if (!isRecord(answer)) throw this.unavailable(`answered ${method} with something that is not an object`);
    // A node that could not parse the request may answer with the id null.
    if (answer['id'] !== id && !(answer['id'] === null && 'error' in answer)) {
      throw this.unavailable(`answered another call than ${method}`);
    }
    return this.resultOf(answer, method);
  }

  /**
   * Makes many calls in as few HTTP requests as the node allows, and returns the results in the order of `calls`. One error
   * or missing answer fails all of them, so that a partial answer cannot pass for a complete one.
   */
  async batch(calls: readonly RpcCall[]): Promise<readonly unknown[]> {
    return this.inChunks(calls, async (chunk) => (await this.send(chunk)).map(unwrapped));
  }

  /** Like `batch`, but the error of one call does not fail the others. */
  async outcomes(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
    return this.inChunks(calls, async (chunk) => {
      const outcomes = await this.send(chunk);
      // As in `learnBatchSize`: when a single call is refused, the size was not the reason.
      if (chunk.length === 1 && outcomes.some((outcome) => 'refusal' in outcome)) this.batchMax = BATCH_MAX;
      return outcomes;
    });
  }

  /** Closes the connections; requests in flight fail. */
  async close(): Promise<void> {
    await this.transport.close();
  }

  /** Nodes count each call of a batch, and refuse one that is larger than their limit of a second. */
  private get batchSize(): number {
    return Math.min(this.batchMax, this.swiftMax, this.options.rate?.perSecond ?? BATCH_MAX);
  }

  private async inChunks<T>(
    calls: readonly RpcCall[],
    send: (chunk: readonly RpcCall[]) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    const results: T[] = [];
    while (results.length < calls.length) {
      const chunk = calls.slice(results.length, results.length + this.batchSize);
      try {
        results.push(...(await send(chunk)));
        if (chunk.length === this.swiftMax) this.swiftMax = Math.min(this.swiftMax * 2, BATCH_MAX);
      } catch (error) {
        this.learnBatchSize(chunk.length, error);
      }
    }
    return results;
  }

  /**
   * Halves the batch size after a refusal, and rethrows every other failure and the refusal of a single call. A timeout
   * also makes the next batch smaller, but is rethrown, because retrying would wait for a hanging node again and again.
   */
  private learnBatchSize(refused: number, error: unknown): void {
    const isTooLarge = error instanceof BatchRefusal || error instanceof AnswerTooLarge;
    if (isTooLarge && refused > 1) {
      this.batchMax = Math.ceil(refused / 2);
      return;
    }
    if (error instanceof AnswerTooLate) this.swiftMax = Math.ceil(refused / 2);
    // When even a single call fails, the size was not the reason.
    if (refused === 1) this.batchMax = BATCH_MAX;
    throw error;
  }

  private async send(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
    const [first] = calls;
    if (calls.length === 1 && first !== undefined) return [await settled(() => this.call(first.method, first.params))];
    const firstId = this.nextId;
    this.nextId += calls.length;
    const questions = calls.map((call, index) => ({ jsonrpc: '2.0', id: firstId + index, ...call }));
    const answers = this.answersById(await this.post(questions, 'a batch'), firstId, calls.length);
    return Promise.all(
      calls.map((call, index) => {
        const answer = answers.get(firstId + index);
        if (answer === undefined) throw this.unavailable(`left ${call.method} of a batch unanswered`);
        return settled(async () => this.resultOf(answer, call.method));
      }),
    );
  }

  private answersById(answer: unknown, firstId: number, count: number): Map<number, Record<string, unknown>> {
    if (isRecord(answer) && 'error' in answer) throw this.batchRefusal(answer['error'], count);
    if (!Array.isArray(answer)) throw this.unavailable('answered a batch with something that is not a list');
    const answers = new Map<number, Record<string, unknown>>();
    for (const entry of answer as readonly unknown[]) {
      // Some nodes return the refusal of the batch as one of the answers, or as all answers that did not fit.
      const error = isRecord(entry) ? entry['error'] : undefined;
      if (isRecord(error) && this.limitIn(error) !== null) throw this.batchRefusal(error, count);
      const id = isRecord(entry) ? entry['id'] : undefined;
      const isAsked = typeof id === 'number' && Number.isInteger(id) && id >= firstId && id < firstId + count;
      if (!isRecord(entry) || !isAsked || answers.has(id)) {
        throw this.unavailable('answered a batch with an unknown or repeated id');
      }
      answers.set(id, entry);
    }
    return answers;
  }

  private resultOf(answer: Record<string, unknown>, method: string): unknown {
    if ('error' in answer && answer['error'] !== null) {
      const code = isRecord(answer['error']) ? answer['error']['code'] : null;
      const message = `${this.endpoint.label} refused ${method}: ${this.describe(answer['error'])}`;
      if (this.limitIn(answer['error']) === 'rate') throw new NodeBusy(message, RATE_PAUSE_MS);
      throw new RpcRefusal(message, typeof code === 'number' ? code : null);
    }
    if (!('result' in answer)) throw this.unavailable(`answered ${method} without a result`);
    return answer['result'];
  }

  private async post(payload: unknown, what: string): Promise<unknown> {
    const requests = Array.isArray(payload) ? payload.length : 1;
    const { status, text } = await this.transport.post(JSON.stringify(payload), what, this.endpoint.url, requests);
    if (BATCH_REFUSED.includes(status) && Array.isArray(payload)) {
      throw new BatchRefusal(`${this.endpoint.label} refused a batch of ${payload.length}: HTTP ${status}`);
    }
    if (status !== HTTP_OK) throw this.unavailable(`answered ${what} with HTTP ${status}`);
    try {
      return parseJsonWithBigints(text);
    } catch {
      // The parser's message quotes the answer, which may contain our URL, so it is not kept as a cause.
      throw this.unavailable(`answered ${what} with something that is not JSON`);
    }
  }

  private batchRefusal(error: unknown, count: number): ChainUnavailable {
    const message = `${this.endpoint.label} refused a batch of ${count}: ${this.describe(error)}`;
    return this.limitIn(error) === 'rate' ? new NodeBusy(message, RATE_PAUSE_MS) : new BatchRefusal(message);
  }

  private limitIn(error: unknown): RpcLimit | null {
    return isRecord(error) ? limitOf(error['code'], this.describe(error)) : null;
  }

  private describe(error: unknown): string {
    const message = isRecord(error) && typeof error['message'] === 'string' ? error['message'] : 'no reason given';
    return this.endpoint.redact(message);
  }

  private unavailable(what: string): ChainUnavailable {
    return new ChainUnavailable(`${this.endpoint.label} ${what}.`);
  }
}

/** Returns the result of a call or the node's refusal of it. Rethrows any other error. */
async function settled(call: () => Promise<unknown>): Promise<RpcOutcome> {
  try {
    return { result: await call() };
  } catch (error) {
    if (error instanceof RpcRefusal) return { refusal: error };
    throw error;
  }
}

function unwrapped(outcome: RpcOutcome): unknown {
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome.result;
}

/** Returns whether a value of an answer is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
