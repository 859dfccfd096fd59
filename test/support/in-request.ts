import type { Request, Response } from 'express';
import { openRequestContext } from '../../src/http/request-context.js';

/** Runs work in the context of an HTTP request with this `traceparent`, and returns its result. */
export async function inRequest<Result>(traceparent: string | undefined, work: () => Result): Promise<Awaited<Result>> {
  const request = { headers: { traceparent } } as unknown as Request;
  const response = { setHeader: () => undefined } as unknown as Response;
  const { promise, resolve } = Promise.withResolvers<Result>();
  openRequestContext(request, response, () => resolve(work()));
  return await promise;
}
