import { Module } from '@nestjs/common';
import { AddressProof } from './address-proof.service.js';
import { PoolFiller } from './pool-filler.service.js';
import { WalletPoolWatch } from './wallet-pool-watch.service.js';
import { WalletPool } from './wallet-pool.service.js';

/** Addresses derived ahead, and their assignment. */
@Module({
  providers: [WalletPool, WalletPoolWatch, PoolFiller, AddressProof],
  exports: [WalletPool, PoolFiller, AddressProof],
})
export class WalletsModule {}
