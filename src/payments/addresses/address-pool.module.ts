import { Module } from '@nestjs/common';
import { AddressProof } from './address-proof.service.js';
import { PoolFiller } from './pool-filler.service.js';
import { AddressPoolWatch } from './address-pool-watch.service.js';
import { AddressPool } from './address-pool.service.js';

/** Addresses derived ahead, and their assignment. */
@Module({
  providers: [AddressPool, AddressPoolWatch, PoolFiller, AddressProof],
  exports: [AddressPool, PoolFiller, AddressProof],
})
export class AddressPoolModule {}
