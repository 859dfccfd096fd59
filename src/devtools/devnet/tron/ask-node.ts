import { z } from 'zod';

const TIMEOUT_MS = 15_000;
const FAILED = z.object({ Error: z.string() });

/**
 * Calls the development chain of tron, or any node of Tron, and parses the answer by a schema, without retries. `path` is that
 * of the call, such as `wallet/getblock`.
 * @throws Error with the node's message; TypeError when `url` does not answer.
 */
export async function askNode<T>(url: string, schema: z.ZodType<T>, path: string, body: object): Promise<T> {
  const response = await fetch(`${url}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer: unknown = await response.json();
  const failed = FAILED.safeParse(answer);
  if (failed.success) throw new Error(`${path}: ${failed.data.Error}`);
  return schema.parse(answer);
}
