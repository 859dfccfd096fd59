import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, errors, request } from 'undici';
import { ChainUnavailable, NodeBusy } from '../chain.js';
import type { RequestRate } from './request-rate.js';
import { parseRpcEndpoint, type RpcEndpoint } from './rpc-endpoint.js';

const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
const TRIES_MAX = 3;
const PAUSE_BASE_MS = 150;
/** After a request for a longer pause the call fails: the caller uses another node, or tries later. */
const PAUSE_MAX_MS = 2_000;
const TOO_MANY_REQUESTS = 429;
/** Statuses of gateways and load balancers that pass by themselves. */
const TRANSIENT_STATUSES: readonly number[] = [TOO_MANY_REQUESTS, 502, 503, 504];
const HTTP_DATE = /^[A-Z][a-z]{2}, /;
const SECONDS = /^\d{1,9}$/;

export interface RpcTransportOptions {
  /** For one request with its retries, until the last byte of the answer. One try takes half of it at most. */
  readonly timeoutMs?: number;
  /** Called with the duration of every HTTP request that was answered. */
  readonly onAnswer?: (durationMs: number) => void;
  /** The limit of the node, if it has one; every try counts. */
  readonly rate?: RequestRate;
}

/** An HTTP answer; the text is empty unless the status is 200. */
export interface RpcAnswer {
  readonly status: number;
  readonly text: string;
}

interface RpcPost {
  readonly url: string;
  readonly body: string;
  /** Names the request in messages. */
  readonly what: string;
}

/** The node took longer than it may. */
export class AnswerTooLate extends ChainUnavailable {}

/** The node's answer is larger than the limit. */
export class AnswerTooLarge extends ChainUnavailable {}

/** The outcome of one try. `pauseMs` is the pause that the node requested. */
type Try =
  | { readonly kind: 'answer'; readonly answer: RpcAnswer }
  | { readonly kind: 'transient'; readonly failure: ChainUnavailable; readonly pauseMs: number | null };

/**
 * Posts JSON to one node on kept connections. Temporary failures (a lost connection, no answer, 429, 502 to 504) are tried
 * up to three times with growing random pauses, or after the pause of `Retry-After`. All requests are reads or signed bytes,
 * so a repetition is harmless. Messages show only scheme, host and port of the node's URL.
 */
export class RpcTransport {
  readonly endpoint: RpcEndpoint;
  private readonly agent = new Agent({ keepAliveTimeout: 30_000, maxResponseSize: RESPONSE_BYTES_MAX });
  private readonly closing = new AbortController();
  private readonly timeoutMs: number;

  constructor(
    url: string,
    private readonly options: RpcTransportOptions = {},
  ) {
    this.endpoint = parseRpcEndpoint(url);
    this.timeoutMs = options.timeoutMs ?? 10_000;
  }

  /**
   * Posts `body` and returns the node's answer, whatever its status. `what` names the request in messages.
   * @param url a URL below that of the node; default: the node's own
   * @param requests as how many the node counts it
   */
  async post(body: string, what: string, url = this.endpoint.url, requests = 1): Promise<RpcAnswer> {
    await this.turn(requests);
    const deadline = performance.now() + this.timeoutMs;
    for (let tries = 1; ; tries++) {
      const outcome = await this.try({ url, body, what }, deadline);
      if (outcome.kind === 'answer') return outcome.answer;
      const pauseMs = outcome.pauseMs ?? randomInt(PAUSE_BASE_MS * 2 ** tries);
      const isWorthIt = tries < TRIES_MAX && pauseMs <= PAUSE_MAX_MS && performance.now() + pauseMs < deadline;
      if (!isWorthIt || this.closing.signal.aborted) throw outcome.failure;
      await sleep(pauseMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
      await this.turn(requests);
    }
  }

  /** Closes the connections; requests in flight fail. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.agent.destroy();
  }

  private async turn(requests: number): Promise<void> {
    try {
      await this.options.rate?.turn(requests, this.closing.signal);
    } catch (cause) {
      throw new ChainUnavailable(`The connections to ${this.endpoint.label} were closed.`, { cause });
    }
  }

  private async try({ url, body, what }: RpcPost, deadline: number): Promise<Try> {
    const startedMs = performance.now();
    const patienceMs = Math.max(1, Math.ceil(Math.min(this.timeoutMs / 2, deadline - startedMs)));
    const patience = new AbortController();
    // `AbortSignal.timeout` would keep its timer after the answer, and thousands of requests many of them.
    const timer = setTimeout(() => patience.abort(), patienceMs).unref();
    try {
      const response = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...this.endpoint.headers },
        body,
        dispatcher: this.agent,
        signal: patience.signal,
      });
      const { statusCode: status, headers } = response;
      const text = status === 200 ? await response.body.text() : '';
      if (status !== 200) await response.body.dump();
      this.options.onAnswer?.(performance.now() - startedMs);
      if (!TRANSIENT_STATUSES.includes(status)) return { kind: 'answer', answer: { status, text } };
      return this.transient(`answered ${what} with HTTP ${status}`, retryAfterMs(headers['retry-after']));
    } catch (cause) {
      const { label } = this.endpoint;
      if (cause instanceof errors.ResponseExceededMaxSizeError) {
        throw new AnswerTooLarge(`${label} answered ${what} with more than ${RESPONSE_BYTES_MAX} bytes.`, { cause });
      }
      const failure = patience.signal.aborted
        ? new AnswerTooLate(`${label} did not answer ${what} within ${this.timeoutMs} ms.`, { cause })
        : new ChainUnavailable(`${label} did not answer ${what}.`, { cause });
      return { kind: 'transient', failure, pauseMs: null };
    } finally {
      clearTimeout(timer);
    }
  }

  private transient(problem: string, pauseMs: number | null): Try {
    const message = `${this.endpoint.label} ${problem}.`;
    const failure = pauseMs === null ? new ChainUnavailable(message) : new NodeBusy(message, pauseMs);
    return { kind: 'transient', failure, pauseMs };
  }
}

/** Returns the milliseconds of a `Retry-After` header in either form, or null when it is not valid. */
function retryAfterMs(header: string | string[] | undefined): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  if (SECONDS.test(text)) return Number(text) * 1_000;
  const atMs = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now());
}
