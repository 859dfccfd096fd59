import { Module } from '@nestjs/common';
import { PoolUsageReader } from './pool-usage.service.js';

/** The address pools, for staff. */
@Module({ providers: [PoolUsageReader], exports: [PoolUsageReader] })
export class PoolOperationsModule {}
