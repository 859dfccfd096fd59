import { Module } from '@nestjs/common';
import { RateLimiter } from '../auth/rate-limiter.js';
import { Database } from '../platform/database/database.js';
import { INBOX_LIMIT, INBOX_LIMITER, InboxReceiverController } from './inbox/inbox-receiver.controller.js';
import { inboxBuckets } from './inbox/inbox-requests.sql.js';
import { SandboxController } from './sandbox.controller.js';
import { SandboxModule } from './sandbox.module.js';

/** The sandbox's own operations over HTTP. */
@Module({
  imports: [SandboxModule],
  controllers: [SandboxController, InboxReceiverController],
  providers: [
    {
      provide: INBOX_LIMITER,
      inject: [Database],
      useFactory: (db: Database) => new RateLimiter(db, INBOX_LIMIT, inboxBuckets),
    },
  ],
})
export class SandboxHttpModule {}
