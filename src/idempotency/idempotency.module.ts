import { Module } from '@nestjs/common';
import { IdempotencyRecords } from './idempotency-records.service.js';
import { IdempotentWrites } from './idempotent-writes.js';

/**
 * Each write happens once. Needs `Database` and `SecretBox` from a global module. The guard that reads the key is provided
 * in `AuthHttpModule`, because all guards stand in one list.
 */
@Module({
  providers: [IdempotencyRecords, IdempotentWrites],
  exports: [IdempotencyRecords, IdempotentWrites],
})
export class IdempotencyModule {}
