import { randomUUID } from 'node:crypto';
import { types } from 'node:util';
import { z } from 'zod';
import { CommandFailure } from './command.js';

const TIMEOUT_MS = 15_000;

const refusal = z.object({
  error: z.object({ code: z.string(), message: z.string(), request_id: z.string(), doc_url: z.string() }),
});

/** The API refused the request. */
export class ApiRefusal extends CommandFailure {
  override name = 'ApiRefusal';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    advice: string | null,
  ) {
    super(`${message} (${status} ${code}, request ${requestId ?? 'unknown'})`, advice);
  }
}

/** A client of the public API, as a merchant would write one: it uses none of the service's code. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
  ) {}

  /** @throws ApiRefusal; CommandFailure when there is no answer, or one of an unexpected shape. */
  get<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return this.send('GET', path, schema);
  }

  /** Every call is a new request with its own idempotency key. */
  post<T>(path: string, schema: z.ZodType<T>, body?: unknown): Promise<T> {
    return this.send('POST', path, schema, body);
  }

  async delete(path: string): Promise<void> {
    await this.send('DELETE', path, z.unknown());
  }

  private async send<T>(method: string, path: string, schema: z.ZodType<T>, body?: unknown): Promise<T> {
    const response = await this.fetch(method, path, body);
    const requestId = response.headers.get('request-id');
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) throw refusalOf(response.status, requestId, answer);
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    const message = `${method} ${path} returned an unexpected answer (request ${requestId ?? 'unknown'}).`;
    throw new CommandFailure(message, null, { cause: parsed.error });
  }

  private async fetch(method: string, path: string, body: unknown): Promise<Response> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.apiKey}` };
    if (method === 'POST') headers['Idempotency-Key'] = randomUUID();
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    try {
      return await fetch(`${this.baseUrl.replace(/\/+$/, '')}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      // The message of fetch is only "fetch failed"; its cause has the reason.
      const cause = types.isNativeError(error) ? (error.cause ?? error) : error;
      throw new CommandFailure(`The service does not answer at ${this.baseUrl}.`, 'start it with npm start.', {
        cause,
      });
    }
  }
}

function refusalOf(status: number, requestId: string | null, answer: unknown): ApiRefusal {
  const { data } = refusal.safeParse(answer);
  if (data === undefined) return new ApiRefusal(status, 'unknown', 'The request failed.', requestId, null);
  const { code, message, request_id: id, doc_url: docUrl } = data.error;
  return new ApiRefusal(status, code, message, id, `see ${docUrl}`);
}
