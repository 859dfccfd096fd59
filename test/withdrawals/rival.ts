import { readFile } from 'node:fs/promises';
import { dataFilesOf } from '../../src/app/start/data-files.js';
import { type RunningService, startService } from '../../src/app/start/service.js';
import { parseConfig } from '../../src/platform/config.js';
import { createLogger } from '../../src/platform/logging.js';
import type { PayoutLab } from './payout-lab.js';

/** Another process beside the service of a lab, or after it. */
export interface Rival {
  readonly roles?: string;
  readonly databaseUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts another vault and worker, or other roles, on the same chain, and on the same database or another one. */
export async function startRival(
  { world, nodeUrl }: Pick<PayoutLab, 'world' | 'nodeUrl'>,
  { roles = 'vault,worker', databaseUrl = world.databaseUrl, env = {} }: Rival = {},
): Promise<RunningService> {
  const { vaultPassphrase, secretsKey } = dataFilesOf(world.dataDir);
  const config = parseConfig({
    NODE_ENV: 'test',
    ROLES: roles,
    DATA_DIR: world.dataDir,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_MAX: '8',
    VAULT_PASSPHRASE: (await readFile(vaultPassphrase, 'utf8')).trim(),
    SECRETS_KEY: (await readFile(secretsKey, 'utf8')).trim(),
    SANDBOX_BNB_RPC_URL: nodeUrl,
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...env,
  });
  return startService(config, createLogger(config.logLevel));
}
