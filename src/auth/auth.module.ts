import { Module } from '@nestjs/common';
import { ApiKeysService } from './api-keys.service.js';
import { KeyOperations } from './key-operations.service.js';
import { MerchantOperations } from './merchant-operations.service.js';
import { MerchantsService } from './merchants.service.js';

const SERVICES = [ApiKeysService, KeyOperations, MerchantOperations, MerchantsService];

/** Merchants and their keys. */
@Module({ providers: SERVICES, exports: SERVICES })
export class AuthModule {}
