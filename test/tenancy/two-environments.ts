import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../src/domain/network.js';
import { NetworkViews } from '../../src/offers/network-views.service.js';
import { parseConfig } from '../../src/platform/config.js';
import { Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { dataFilesOf } from '../../src/app/start/data-files.js';
import { startService } from '../../src/app/start/service.js';
import { TreasuryChains } from '../../src/treasury/treasury-chains.service.js';
import { createVaultFile } from '../../src/vault/vault-file.js';
import { type BnbTestnet, startBnbTestnet } from '../support/bnb-testnet.js';
import { createDatabase, migratedTemplate } from '../support/database-url.js';
import { eventually } from '../support/eventually.js';
import { auditBooks } from '../support/final-audit.js';
import { ProxyNode } from '../support/proxy-node.js';
import { query } from '../support/sql.js';
import type { World } from '../support/world.js';

export const ENVIRONMENTS = ['sandbox', 'live'] as const;

const PASSPHRASE = 'two environments, two seeds';
/** A cheap key derivation: only this test uses the vault. */
const SCRYPT_N = 1_024;
const ADDRESSES_READY = 40;

/** A chain of one environment, and all requests of the service to it so far, as JSON. */
export interface WatchedChain extends BnbTestnet {
  readonly asked: readonly string[];
}

/** One process that serves sandbox and live, each on its own chain with BNB's chain id. */
export interface TwoEnvironments extends Pick<World, 'service' | 'database' | 'url'> {
  readonly chains: Readonly<Record<Environment, WatchedChain>>;
  stop(): Promise<void>;
}

export async function startTwoEnvironments(): Promise<TwoEnvironments> {
  const [sandbox, live] = await Promise.all(ENVIRONMENTS.map(startWatchedChain));
  if (sandbox === undefined || live === undefined) throw new Error('There are two environments.');
  const dataDir = await mkdtemp(join(tmpdir(), 'coffer-tenancy-'));
  await createVaultFile(dataFilesOf(dataDir).vault, PASSPHRASE, { scryptN: SCRYPT_N });
  const { url: databaseUrl, drop } = await createDatabase(migratedTemplate());
  const config = parseConfig({
    NODE_ENV: 'test',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    SANDBOX_BNB_RPC_URL: sandbox.proxy.url,
    LIVE_BNB_RPC_URL: live.proxy.url,
    VAULT_PASSPHRASE: PASSPHRASE,
    SECRETS_KEY: '5e'.repeat(32),
    PRICE_SOURCES: 'none',
    WALLET_POOL_TARGET: String(ADDRESSES_READY),
    RATE_LIMIT_PER_SECOND: '0',
    PORT: '0',
    LOG_LEVEL: 'silent',
  });
  const service = await startService(config, createLogger(config.logLevel));
  const database = service.get(Database);
  await setPrices(database);
  await eventually(
    async () => (await service.get(NetworkViews).all()).length,
    (seen) => seen === ENVIRONMENTS.length,
    30_000,
  );
  await untilPoolsAreFull(database);
  return {
    service,
    database,
    url: service.url,
    chains: { sandbox, live },
    stop: async () => {
      try {
        await auditBooks({ databaseUrl, chains: service.get(TreasuryChains) });
      } finally {
        await service.stop();
        await Promise.all([sandbox, live].map(({ proxy }) => proxy.stop()));
        await Promise.all([sandbox, live].map((chain) => chain.stop()));
        await drop();
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  };
}

async function startWatchedChain(environment: Environment): Promise<WatchedChain & { readonly proxy: ProxyNode }> {
  const chain = await startBnbTestnet(environment);
  const proxy = await ProxyNode.start(chain.url);
  const asked: string[] = [];
  proxy.lie = async (question, ask) => {
    asked.push(JSON.stringify(question));
    const answer = await ask(question);
    if (answer['error'] !== undefined) throw new Error(`The node refuses: ${JSON.stringify(answer)}`);
    return answer['result'];
  };
  return { ...chain, proxy, asked };
}

/** No source prices live intents offline. A price snapshot with tomorrow's time stays the newest and the only one. */
async function setPrices(database: Database): Promise<void> {
  await query(
    database,
    `insert into price_round (id, environment, prices, created_at)
     select 'prd_' || environment, environment, $2, now() + interval '1 day' from unnest($1::text[]) as environment`,
    [ENVIRONMENTS, JSON.stringify({ USDC: { price: '1', sources: [] }, BNB: { price: '600', sources: [] } })],
  );
}

/** Waits until the vault has finished its work, so that only tenants change the database. */
async function untilPoolsAreFull(database: Database): Promise<void> {
  await eventually(
    async () => {
      const pools = await query<{ count: string }>(database, `select count(*) from pool_address group by environment`);
      return pools;
    },
    (pools) => pools.length === ENVIRONMENTS.length && pools.every(({ count }) => Number(count) >= ADDRESSES_READY),
    30_000,
  );
}
