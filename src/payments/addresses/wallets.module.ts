import { Module } from '@nestjs/common';
import { AddressProof } from './address-proof.service.js';
import { PoolFiller } from './pool-filler.service.js';
import { VaultState } from '../../vault-status/vault-state.service.js';
import { VaultWatch } from '../../vault-status/vault-watch.service.js';
import { WalletPoolWatch } from './wallet-pool-watch.service.js';
import { WalletPool } from './wallet-pool.service.js';

/** Addresses derived ahead, their assignment, and the state of the vault that derives them. */
@Module({
  providers: [WalletPool, WalletPoolWatch, PoolFiller, AddressProof, VaultState, VaultWatch],
  exports: [WalletPool, PoolFiller, AddressProof, VaultState, VaultWatch],
})
export class WalletsModule {}
