import { parseConfig } from '../../src/platform/config.js';
import { createLogger } from '../../src/platform/logging.js';
import { type RunningService, startService } from '../../src/app/start/service.js';
import type { World } from './world.js';

/**
 * Starts one more instance of the service beside a world, on its database, which only reads BNB's test network
 * from the node at `url`, or from a comma list of nodes. It can be stopped and started again, like a listener that goes down
 * and comes back.
 */
export function startListener(
  world: World,
  url: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const config = parseConfig({
    NODE_ENV: 'test',
    ROLES: 'listener',
    DATABASE_URL: world.databaseUrl,
    DATABASE_POOL_MAX: '6',
    SANDBOX_BNB_RPC_URL: url,
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...env,
  });
  return startService(config, createLogger(config.logLevel));
}
