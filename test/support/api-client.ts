import { randomUUID } from 'node:crypto';
import { assertDocumented } from './documented.js';

/** An answer of the API. */
export interface ApiAnswer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A merchant's client over real HTTP. It checks every answer against the API document. */
export class ApiClient {
  constructor(
    readonly url: string,
    readonly apiKey: string,
  ) {}

  get<Body = Record<string, unknown>>(path: string, options: CallOptions = {}): Promise<ApiAnswer<Body>> {
    return this.call('GET', path, options);
  }

  post<Body = Record<string, unknown>>(
    path: string,
    body?: unknown,
    options: Omit<CallOptions, 'body'> = {},
  ): Promise<ApiAnswer<Body>> {
    return this.call('POST', path, { ...options, body });
  }

  async call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    { body, idempotencyKey, headers = {} }: CallOptions = {},
  ): Promise<ApiAnswer<Body>> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${this.apiKey}`,
        ...(method === 'POST' && { 'Idempotency-Key': idempotencyKey ?? randomUUID() }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed: Body = text === '' ? ({} as Body) : JSON.parse(text);
    await assertDocumented(this.url, method, path, response.status, parsed);
    return { status: response.status, headers: response.headers, text, body: parsed };
  }
}
