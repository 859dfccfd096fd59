import { types } from 'node:util';
import { z } from 'zod';

const PATIENCE_MS = 2_500;
const ANSWER = z.looseObject({ result: z.unknown().optional(), error: z.unknown().optional() });

/** The HTTP answer, or the name of the error without a complete one. */
export type Posted = { status: number; retryAfter: string | null; text: string; body: unknown } | { failure: string };

/** Posts a JSON-RPC body and returns what a client sees. */
export async function postedTo(url: string, body: unknown): Promise<Posted> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text, body: jsonIn(text) };
  } catch (error) {
    // Errors of fetch belong to another realm than the test's: `instanceof` does not match them.
    if (!types.isNativeError(error)) throw error;
    return { failure: error.name };
  }
}

/** Asks one question at a time and returns the result, or the error, of the answer. */
export class RpcProbe {
  constructor(private readonly url: string) {}

  async ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const posted = await postedTo(this.url, { jsonrpc: '2.0', id: 1, method, params });
    if ('failure' in posted) throw new Error(`${method} was not answered: ${posted.failure}`);
    const { result, error } = ANSWER.parse(posted.body);
    return error ?? result;
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
