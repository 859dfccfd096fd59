import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError } from '../domain/errors.js';
import type { AuthenticatedRequest } from './caller.js';
import { RateLimiter } from './rate-limiter.js';

/** Injection token of the `RateLimiter`, or null when the limit is off. */
export const RATE_LIMITER = Symbol('RateLimiter');

/**
 * Refuses requests beyond the key's rate, after authentication and before the body is read. Headers: RateLimit header
 * fields for HTTP, draft-ietf-httpapi-ratelimit-headers-10; `q` is the bucket's size, `w` the seconds it takes to fill.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly policy: string;

  constructor(@Inject(RATE_LIMITER) private readonly limiter: RateLimiter | null) {
    this.policy = limiter === null ? '' : policyOf(limiter);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<AuthenticatedRequest>();
    if (this.limiter === null || caller === undefined) return true;
    const { admitted, remaining, resetSeconds } = await this.limiter.take(caller.apiKeyId);
    const res = http.getResponse<Response>();
    res.setHeader('RateLimit-Policy', this.policy);
    res.setHeader('RateLimit', `"key";r=${remaining};t=${resetSeconds}`);
    if (admitted) return true;
    throw new DomainError('rate_limited', 'Too many requests with this API key.', { retryAfterSeconds: resetSeconds });
  }
}

function policyOf({ limit }: RateLimiter): string {
  return `"key";q=${limit.burst};w=${Math.ceil(limit.burst / limit.perSecond)}`;
}
