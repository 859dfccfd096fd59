import type { Logger } from 'pino';
import { OpenVault } from '../../src/app/vault/open-vault.service.js';
import { SigningJobs } from '../../src/app/vault/signing.jobs.js';
import { AddressJobs } from '../../src/app/vault/address.jobs.js';
import { AddressProof } from '../../src/payments/addresses/address-proof.service.js';
import { PoolFiller } from '../../src/payments/addresses/pool-filler.service.js';
import { parseConfig } from '../../src/platform/config.js';
import type { Database } from '../../src/platform/database/database.js';
import type { JobQueue } from '../../src/platform/queue/job-queue.js';
import { OpeningVault, type VaultLocation } from '../../src/vault/opening-vault.js';
import { VaultState } from '../../src/vault-status/vault-state.service.js';
import { vaultServices } from './vault-services.js';

/** The jobs of a process with the vault role. */
export interface VaultJobs {
  readonly state: VaultState;
  readonly vault: OpenVault;
  readonly signing: SigningJobs;
  readonly addresses: AddressJobs;
}

/** Starts the vault of a process like its modules do, without the recurring jobs. */
export async function startVaultJobs(
  database: Database,
  options: { queue: JobQueue; logger: Logger; vault: VaultLocation | null; poolTarget: number },
): Promise<VaultJobs> {
  const { queue, logger, vault: location, poolTarget } = options;
  const state = new VaultState();
  const vault = new OpenVault(state, { vault: location && new OpeningVault(location) }, logger);
  const filler = new PoolFiller(database, parseConfig({ WALLET_POOL_TARGET: String(poolTarget) }), logger);
  const proof = new AddressProof(database, filler, logger);
  const services = vaultServices(database, queue, logger);
  const addresses = new AddressJobs(vault, filler, proof, services.wallets, database);
  const { databaseIdentity, replacements, payments, withdrawals, unsignedRefunds, sweepSigner } = services;
  const signing = new SigningJobs(
    vault,
    database,
    databaseIdentity,
    replacements,
    payments,
    withdrawals,
    unsignedRefunds,
    sweepSigner,
  );
  await vault.onModuleInit();
  await addresses.onModuleInit();
  return { state, vault, signing, addresses };
}
