import type { Request } from 'express';

/** What the guards of this folder leave on the request for those who come after them. */
export interface ApiRequest extends Request {
  /** The body's bytes as they came, empty when there were none; set by the JSON body guard. */
  rawBody?: Buffer;
}

/** Methods whose requests have a body, which the guards read and check. */
export const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** True for the merchant API: its rules (idempotency keys, strict queries) hold for no other path. */
export function isMerchantApi(req: Request): boolean {
  return req.path.startsWith('/v1/');
}
