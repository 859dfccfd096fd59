import { Module } from '@nestjs/common';
import { IdempotencyRecords } from './idempotency-records.service.js';
import { IdempotentWrites } from './idempotent-writes.js';

/**
 * Makes each write happen once. Needs `Database` and `SecretBox` from a global module. `HttpGuardsModule` provides the guard
 * that reads the key, because all guards are in one list.
 */
@Module({
  providers: [IdempotencyRecords, IdempotentWrites],
  exports: [IdempotencyRecords, IdempotentWrites],
})
export class IdempotencyModule {}
