import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AccessAudit } from '../auth/access-audit.js';
import { ApiKeyGuard } from '../auth/api-key.guard.js';
import { Authenticator } from '../auth/authenticator.service.js';
import { KeyUsage } from '../auth/key-usage.service.js';
import { RATE_LIMITER, RateLimitGuard } from '../auth/rate-limit.guard.js';
import { RateLimiter } from '../auth/rate-limiter.js';
import { JsonBodyGuard } from '../http/json-body.guard.js';
import { RequestSchemaGuard } from '../http/request-schema.guard.js';
import { IdempotencyKeyGuard } from '../idempotency/idempotency-key.guard.js';
import { StaffGuard } from '../staff/staff.guard.js';
import { StaffModule } from '../staff/staff.module.js';
import { CONFIG, type Config } from '../platform/config.js';
import { Database } from '../platform/database/database.js';

/**
 * The guards of all routes. Nest runs them in the order of this list, which is the order of checks of the contract; no other
 * module may add one. Needs `Database`, `CONFIG`,
 * `RUNTIME` and `SecretBox` from a global module.
 */
@Module({
  imports: [DiscoveryModule, StaffModule],
  providers: [
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: StaffGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: IdempotencyKeyGuard },
    { provide: APP_GUARD, useClass: JsonBodyGuard },
    { provide: APP_GUARD, useClass: RequestSchemaGuard },
    // What they need, and the audit that every route declares its access.
    Authenticator,
    KeyUsage,
    AccessAudit,
    {
      provide: RATE_LIMITER,
      inject: [Database, CONFIG],
      useFactory: (db: Database, { rateLimit }: Config) => (rateLimit === null ? null : new RateLimiter(db, rateLimit)),
    },
  ],
})
export class HttpGuardsModule {}
