import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { BODY_GUARDS } from '../http/configure-http.js';
import { CONFIG, type Config } from '../platform/config.js';
import { Database } from '../platform/database/database.js';
import { AccessAudit } from '../auth/access-audit.js';
import { ApiKeyGuard } from '../auth/api-key.guard.js';
import { Authenticator } from '../auth/authenticator.service.js';
import { IdempotencyKeyGuard } from '../idempotency/idempotency-key.guard.js';
import { KeyUsage } from '../auth/key-usage.service.js';
import { RATE_LIMITER, RateLimitGuard } from '../auth/rate-limit.guard.js';
import { RateLimiter } from '../auth/rate-limiter.js';

/**
 * Authenticates callers and limits their rate. Needs `Database` and `CONFIG` from a global module. Nest runs the guards
 * in this order, which is the order of checks of the contract; no other module may add one.
 */
@Module({
  imports: [DiscoveryModule],
  providers: [
    Authenticator,
    KeyUsage,
    AccessAudit,
    {
      provide: RATE_LIMITER,
      inject: [Database, CONFIG],
      useFactory: (db: Database, { rateLimit }: Config) => (rateLimit === null ? null : new RateLimiter(db, rateLimit)),
    },
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: IdempotencyKeyGuard },
    ...BODY_GUARDS,
  ],
})
export class HttpGuardsModule {}
