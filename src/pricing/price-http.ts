import { Agent, request } from 'undici';
import { parseExactJson } from '../domain/exact-json.js';
import { readAnswerBody } from '../platform/outbound/answer-body.js';
import { SourceFault } from './price-source.js';

const TIMEOUT_MS = 4_000;
/** The answers that we ask for have a few kilobytes. */
const BODY_BYTES_MAX = 256 * 1024;
const RETRY_AFTER_MAX_MS = 3_600_000;
const OK = 200;
/** Binance answers 418 to clients that ignore its 429. */
const RATE_LIMITED: readonly number[] = [418, 429];

export interface PriceAnswer {
  readonly status: number;
  /** Numbers in it are text, as they were written. */
  readonly json: unknown;
}

export interface PriceRequest {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses beside 200 whose body is read. */
  readonly alsoRead?: readonly number[];
}

/**
 * Asks one public price API. The operator chooses its host, so it may be anywhere, unlike a merchant's webhook. Its
 * answer is not trusted: one deadline covers everything, its size is bounded, redirects are not followed.
 */
export class PriceHttp {
  private readonly agent = new Agent({ keepAliveTimeout: 30_000, maxHeaderSize: 16 * 1024 });

  /** `baseUrl` may carry a path, as a mirror's would. */
  constructor(
    private readonly source: string,
    private readonly baseUrl: string,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  /** @throws SourceFault unless the source answered with JSON and a status that is read. */
  async get({ path, query = {}, headers = {}, alsoRead = [] }: PriceRequest): Promise<PriceAnswer> {
    const url = new URL(this.baseUrl.replace(/\/+$/, '') + path);
    url.search = new URLSearchParams(query).toString();
    const answer = await this.exchange(url, headers);
    if (RATE_LIMITED.includes(answer.status)) {
      throw new SourceFault('rate_limited', `${this.source} asks for fewer requests.`, answer.retryAfterMs);
    }
    if (answer.status !== OK && !alsoRead.includes(answer.status)) {
      throw new SourceFault('no_answer', `${this.source} answered HTTP ${answer.status}.`, answer.retryAfterMs);
    }
    const json = parseExactJson(answer.text);
    if (json === undefined) throw new SourceFault('no_answer', `${this.source} answered something that is not JSON.`);
    return { status: answer.status, json };
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async exchange(
    url: URL,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ status: number; text: string; retryAfterMs: number | null }> {
    try {
      const response = await request(url, {
        // Coinbase refuses requests without a user agent.
        headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'coffer', ...headers },
        dispatcher: this.agent,
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      const { bodyText, truncated } = await readAnswerBody(response.body, BODY_BYTES_MAX);
      return {
        status: response.statusCode,
        text: truncated ? '' : bodyText,
        retryAfterMs: retryAfterMs(response.headers['retry-after']),
      };
    } catch (cause) {
      const isLate = cause instanceof Error && cause.name === 'TimeoutError';
      const within = isLate ? ` within ${this.timeoutMs} ms` : '';
      throw new SourceFault('no_answer', `${this.source} did not answer${within}.`);
    }
  }
}

/** Accepts seconds or an HTTP date (RFC 9110); null when it is neither. */
function retryAfterMs(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS);
}
