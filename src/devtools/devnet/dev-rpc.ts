import { z } from 'zod';

const TIMEOUT_MS = 15_000;

const ANSWER = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

/** A quantity as nodes write it, such as `0x1f`. */
export const HEX_NUMBER = z
  .string()
  .regex(/^0x[0-9a-f]+$/i)
  .transform(Number);

/** A quantity beyond 2^53, such as an amount. */
export const HEX_BIGINT = z
  .string()
  .regex(/^0x[0-9a-f]+$/i)
  .transform(BigInt);

/** The chain refused a call. */
export class DevRpcRefusal extends Error {
  override name = 'DevRpcRefusal';
}

/**
 * Calls a development chain and parses the result by a schema, without caches and retries, so that a test sees the chain
 * as it is.
 * @throws DevRpcRefusal with the chain's message; TypeError when `url` does not answer.
 */
export async function askChain<T>(
  url: string,
  schema: z.ZodType<T>,
  method: string,
  ...params: readonly unknown[]
): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const { result, error } = ANSWER.parse(await response.json());
  if (error !== undefined) throw new DevRpcRefusal(`${method}: ${error.message} (${error.code})`);
  return schema.parse(result);
}

/** Calls a development chain and ignores the result. */
export async function sendToChain(url: string, method: string, ...params: readonly unknown[]): Promise<void> {
  await askChain(url, z.unknown(), method, ...params);
}
