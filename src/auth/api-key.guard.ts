import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { DomainError } from '../domain/errors.js';
import { Authenticator } from './authenticator.service.js';
import { bearerToken } from './bearer.js';
import type { AuthenticatedRequest, Caller } from './caller.js';
import { accessOf } from './scopes.js';

/** Lets in whoever has a key with the route's scope. The first guard of all: nothing else of a request is read before. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(this.reflector, context.getHandler(), context.getClass());
    if (access === 'public') return true;
    const req = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const caller = await this.authenticated(req);
    // The audit at the start finds such a route; this is for one that came by another way.
    if (access === undefined) throw new Error(`${context.getClass().name}.${context.getHandler().name} has no scope.`);
    if (!caller.scopes.includes(access)) throw new DomainError('forbidden', `This key lacks the scope ${access}.`);
    req.caller = caller;
    return true;
  }

  /** Whatever is wrong with the key, the answer is the same. */
  private async authenticated(req: AuthenticatedRequest): Promise<Caller> {
    const key = bearerToken(req.headersDistinct['authorization']);
    const caller = key === null ? null : await this.authenticator.authenticate(key);
    if (caller === null) throw new DomainError('unauthorized', 'The API key is missing or not valid.');
    return caller;
  }
}
