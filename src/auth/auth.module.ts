import { Module } from '@nestjs/common';
import { ApiKeysService } from './api-keys.service.js';
import { MerchantsService } from './merchants.service.js';

/** Merchants and their keys. */
@Module({ providers: [ApiKeysService, MerchantsService], exports: [ApiKeysService, MerchantsService] })
export class AuthModule {}
