import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DevChainControls } from './dev-chain-controls.js';
import type { EvmNetwork, Network } from '../../src/domain/network.js';
import { parseConfig } from '../../src/platform/config.js';
import { isEvmDevChain } from '../../src/devtools/devnet/dev-chain.js';
import { Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { type RunningService, startService } from '../../src/app/start/service.js';
import { TreasuryChains } from '../../src/treasury/treasury-chains.service.js';
import { ApiClient } from './api-client.js';
import { provideQuickVault } from './quick-vault.js';
import { ownersDatabase } from './database.js';
import { createDatabase, migratedTemplate } from './database-url.js';
import { auditBooks } from './final-audit.js';

/** A whole service for one spec: real PostgreSQL, real chains, real HTTP. */
export interface World {
  readonly service: RunningService;
  readonly url: string;
  /** Calls the service as the sandbox merchant. */
  readonly api: ApiClient;
  readonly merchantId: string;
  readonly apiKey: string;
  /** With the rights of the service. */
  readonly database: Database;
  readonly databaseUrl: string;
  /** With the rights of the owner, who can disable the triggers: for attacks, and for rows that the service cannot write. */
  readonly owner: Database;
  readonly dataDir: string;
  /** The development chain of a network, for tests to control. */
  chain(network: EvmNetwork): DevChainControls;
  /** Audits the ledger with every reachable chain, and stops everything. @throws Error that names the first violation */
  stop(): Promise<void>;
}

export interface WorldOptions {
  /** Chains to run; each costs about half a second. Default: polygon. */
  readonly networks?: readonly Network[];
  /** Additional environment variables of the service. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of the auditor's rules that the spec breaks by rows it has inserted itself. */
  readonly forged?: readonly string[];
}

/** Starts a service in this process on a fresh copy of the migrated database, ready to collect payments. */
export async function startWorld({ networks = ['polygon'], env = {}, forged = [] }: WorldOptions = {}): Promise<World> {
  const dataDir = await mkdtemp(join(tmpdir(), 'coffer-world-'));
  await chmod(dataDir, 0o711);
  await provideQuickVault(dataDir);
  const { url: databaseUrl, ownerUrl, drop } = await createDatabase(migratedTemplate());
  const config = parseConfig({
    NODE_ENV: 'test',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    DEV_CHAINS: networks.join(','),
    PORT: '0',
    LOG_LEVEL: 'silent',
    WALLET_POOL_TARGET: '60',
    // By default no sweeps use the nonces of the hot wallets.
    SWEEP_FEE_SHARE_BPS: '0',
    DEV_BLOCK_INTERVAL_MS: '150',
    ...env,
  });
  const service = await startService(config, createLogger(config.logLevel));
  const account = service.account;
  if (account === null || service.stack === null) throw new Error('The world needs development chains.');
  if (config.walletPoolTarget > 0 && config.priceSources.includes('fixed') && !(await service.untilReady())) {
    throw new Error('The service did not become ready.');
  }
  const owner = ownersDatabase(ownerUrl);
  const controls = new Map(
    service.stack.devChains.filter(isEvmDevChain).map((chain) => [chain.network, new DevChainControls(chain)]),
  );
  return {
    service,
    url: service.url,
    api: new ApiClient(service.url, account.apiKey),
    merchantId: account.merchantId,
    apiKey: account.apiKey,
    database: service.get(Database),
    databaseUrl,
    owner,
    dataDir,
    chain: (network) => {
      const found = controls.get(network);
      if (found === undefined) throw new Error(`This world runs no ${network}.`);
      return found;
    },
    stop: async () => {
      try {
        const treasury = service.get(TreasuryChains);
        // A spec may have stopped it already.
        await auditBooks({ databaseUrl, forged, ...(!treasury.isClosing && { chains: treasury }) });
      } finally {
        await service.stop();
        await owner.close();
        await drop();
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  };
}

/** A fresh idempotency key. */
export const newKey = (): string => randomUUID();
