import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { ENTITIES } from '../../src/app/entities.js';
import { Database } from '../../src/platform/database/database.js';
import { ormOptions } from '../../src/platform/database/orm.config.js';
import { armFailpoints } from '../../src/platform/failpoints.js';
import { LocalVault } from '../../src/vault/local-vault.js';
import { ownersDatabase } from './database.js';
import { profileOfChain } from './development-profile.js';
import type { ExpiringWorker, WorkerPlace } from './expiring-worker.js';
import { LogLines } from './log-lines.js';
import { RecordingQueue } from './recording-queue.js';
import { type VaultServices, vaultServices } from './vault-services.js';

const PAUSE_MS = 50;

/** Where the process works, and where it dies. */
const PLACE = z.object({
  SERVICE_URL: z.string(),
  OWNER_URL: z.string(),
  RPC_URL: z.string(),
  NETWORK: z.enum(['solana', 'tron']),
  VAULT_PATH: z.string(),
  VAULT_PASSPHRASE: z.string(),
  FAILPOINT: z.string(),
});

/**
 * Runs the jobs of a worker and of a vault in turn, until the failpoint kills the process.
 * @param prepare decides what is to be paid, and signs it
 */
export async function workUntilKilled<Worker extends ExpiringWorker>(
  env: NodeJS.ProcessEnv,
  Worker: new (place: WorkerPlace) => Worker,
  prepare: (worker: Worker, services: VaultServices, vault: LocalVault) => Promise<void>,
): Promise<never> {
  // The process will be killed, and would save nothing at its end for the next one.
  flushCompileCache();
  const place = PLACE.parse(env);
  const options = ormOptions({ url: place.SERVICE_URL, poolMax: 4, entities: ENTITIES, migrations: [] });
  const database = new Database(await MikroORM.init(options));
  const worker = new Worker({
    database,
    owner: ownersDatabase(place.OWNER_URL),
    profile: await profileOfChain(place.NETWORK, place.RPC_URL),
    rpcUrls: [place.RPC_URL],
    log: new LogLines(),
  });
  const vault = await LocalVault.open(place.VAULT_PATH, place.VAULT_PASSPHRASE);
  const services = vaultServices(database, new RecordingQueue().queue);
  armFailpoints([place.FAILPOINT]);
  process.stdout.write('working\n');
  for (;;) {
    await worker.readBalances();
    await prepare(worker, services, vault);
    await worker.send();
    await worker.confirm();
    await sleep(PAUSE_MS);
  }
}
