import { Module } from '@nestjs/common';
import { TreasuryChainsModule } from '../../treasury/treasury-chains.module.js';
import { OtherAccounts } from './other-accounts.service.js';

/** Finds funds in accounts of our addresses that are not read. */
@Module({ imports: [TreasuryChainsModule], providers: [OtherAccounts], exports: [OtherAccounts] })
export class OtherAccountsModule {}
