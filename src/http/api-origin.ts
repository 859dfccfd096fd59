import type { Tenant } from '../domain/tenant.js';
import { requestContext } from './request-context.js';

/** The tenant that makes an API call, with its key if it used one. */
export interface ApiCaller extends Tenant {
  readonly apiKeyId?: string;
}

/** The API call that made an object: its key and its request. Null where there was none. */
export interface ApiOrigin {
  readonly apiKeyId: string | null;
  readonly requestId: string | null;
}

/** Returns the origin of what the current request creates. */
export const originOf = ({ apiKeyId }: ApiCaller): ApiOrigin => ({
  apiKeyId: apiKeyId ?? null,
  requestId: requestContext()?.requestId ?? null,
});
