import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Tenant } from '../domain/tenant.js';
import type { ApiRequest } from '../http/api-request.js';
import type { Scope } from './api-key.entity.js';

/** Who calls: the tenant that the API key belongs to, and what the key may do. */
export interface Caller extends Tenant {
  readonly apiKeyId: string;
  readonly scopes: readonly Scope[];
}

/** A request that has passed the API key guard. */
export interface AuthenticatedRequest extends ApiRequest {
  /** Missing on public routes. */
  caller?: Caller;
}

/** The caller that the API key guard left on the request. */
export function callerOf(req: AuthenticatedRequest): Caller {
  if (req.caller === undefined) throw new Error(`${req.method} ${req.path} is public, so it has no caller.`);
  return req.caller;
}

/** Gives a handler its `Caller`. */
export const CurrentCaller = createParamDecorator((_data: undefined, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<AuthenticatedRequest>()),
);
