import type { Request } from 'express';

/** A request with the results of the guards in this room. */
export interface ApiRequest extends Request {
  /** The raw bytes of the body, empty when there is none; set by the JSON body guard. */
  rawBody?: Buffer;
}

/** Methods whose requests have a body, which the guards read and validate. */
export const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Whether the request is for the merchant API. Only its paths require idempotency keys and strict queries. */
export function isMerchantApi(req: Request): boolean {
  return req.path.startsWith('/v1/');
}

/** Whether a path belongs to the API of the console. Its queries are strict too. */
export function isConsoleApi(path: string): boolean {
  return path.startsWith('/admin/api/');
}
