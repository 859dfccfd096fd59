import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { IdempotencyRecords } from './idempotency-records.service.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { IdempotentWrites } from './idempotent-writes.js';

/**
 * Makes each write happen once. Needs `Database` and `SecretBox` from a global module. The guard that reads the key is in the
 * list of all guards, `app/http-guards.module.ts`.
 */
@Module({
  providers: [IdempotencyRecords, IdempotentWrites, { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor }],
})
export class IdempotencyModule {}
