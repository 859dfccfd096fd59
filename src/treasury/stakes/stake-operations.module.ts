import { Module } from '@nestjs/common';
import { StakeOperations } from './stake-operations.service.js';

/** Changes of the stakes of hot wallets, for operators. */
@Module({ providers: [StakeOperations], exports: [StakeOperations] })
export class StakeOperationsModule {}
