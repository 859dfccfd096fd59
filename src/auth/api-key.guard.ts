import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { DomainError } from '../domain/errors.js';
import { Authenticator } from './authenticator.service.js';
import { bearerToken } from './bearer.js';
import type { AuthenticatedRequest, Caller } from './caller.js';
import { accessOf } from './scopes.js';

/** Admits callers whose key has the route's scope. It is the first guard: no other part of the request is read before. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(this.reflector, context.getHandler(), context.getClass());
    if (access === 'public' || access === 'staff') return true;
    const req = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const caller = await this.authenticated(req);
    // `AccessAudit` finds such a route at the start; this is the second check.
    if (access === undefined) throw new Error(`${context.getClass().name}.${context.getHandler().name} has no scope.`);
    // Also of a refused request: the request log names its caller.
    req.caller = caller;
    if (!caller.scopes.includes(access))
      throw new DomainError('forbidden', `This API key does not have the scope ${access}.`);
    return true;
  }

  /** Returns the caller. Every invalid key gets the same answer. */
  private async authenticated(req: AuthenticatedRequest): Promise<Caller> {
    const key = bearerToken(req.headersDistinct['authorization']);
    const caller = key === null ? null : await this.authenticator.authenticate(key);
    if (caller === null) throw new DomainError('unauthorized', 'The API key is missing or invalid.');
    return caller;
  }
}
