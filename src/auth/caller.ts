import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Tenant } from '../domain/tenant.js';
import type { ApiRequest } from '../http/api-request.js';
import type { Scope } from './scopes.js';

/** The caller: the tenant that owns the API key, and the scopes of the key. */
export interface Caller extends Tenant {
  readonly apiKeyId: string;
  readonly scopes: readonly Scope[];
}

/** A request that has passed the API key guard. */
export interface AuthenticatedRequest extends ApiRequest {
  /** Missing on public routes. */
  caller?: Caller;
}

/** Returns the caller that the API key guard put on the request. */
export function callerOf(req: AuthenticatedRequest): Caller {
  if (req.caller === undefined) throw new Error(`${req.method} ${req.path} is public, so it has no caller.`);
  return req.caller;
}

/** Injects the `Caller` into a handler. */
export const CurrentCaller = createParamDecorator((_data: undefined, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<AuthenticatedRequest>()),
);
