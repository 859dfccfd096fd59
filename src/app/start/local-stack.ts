import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { developmentProfile } from '../../chains/networks.js';
import type { ChainSource } from '../../chains/registry.js';
import { type DevChain, startDevChain } from '../../devtools/devnet/dev-chain.js';
import { type DevMiner, startDevMiner } from '../../devtools/devnet/dev-miner.js';
import type { Config } from '../../platform/config.js';
import { lockDataDir, readSecretFile, writeSecretFile } from '../../platform/data-dir.js';
import { startEmbeddedPostgres } from '../../platform/database/embedded-postgres.js';
import type { VaultLocation } from '../../platform/runtime.js';
import { VaultError } from '../../vault/vault.js';
import { createVaultFile } from '../../vault/vault-file.js';
import { dataFilesOf } from './data-files.js';
import type { DatabaseAddresses } from './prepare-database.js';

const DEV_CHAIN_PORTS = { ethereum: 8545, polygon: 8546, bnb: 8547 } as const;

/** What a machine with nothing installed runs beside the service: PostgreSQL, development chains, generated secrets. */
export interface LocalStack {
  readonly database: DatabaseAddresses;
  readonly secretsKey: string;
  readonly vault: VaultLocation;
  readonly devChains: readonly DevChain[];
  /** Ends what this start began or adopted, in order; without it everything runs on and is adopted by the next start. */
  stop(): Promise<void>;
}

/** Starts or adopts the stack under `DATA_DIR`, which belongs to this process until it stops. */
export async function startLocalStack(config: Config, logger: Logger): Promise<LocalStack> {
  const log = (line: string): void => logger.info(line);
  const lock = await lockDataDir(config.dataDir);
  const undo: (() => Promise<unknown>)[] = [() => lock.release()];
  const stop = async (): Promise<void> => {
    for (const step of undo.toReversed()) await step().catch((error: unknown) => logger.error({ err: error }, 'stop'));
  };
  try {
    const { url, ownerUrl } = config.database;
    const database = url === null ? await startDatabase(config, log, undo) : { url, ownerUrl };
    const devChains = await startDevChains(config, log, undo);
    return {
      database,
      secretsKey: config.secretsKey ?? (await generatedSecret(dataFilesOf(config.dataDir).secretsKey)),
      vault: await vaultOf(config),
      devChains,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startDatabase(
  config: Config,
  log: (line: string) => void,
  undo: (() => Promise<unknown>)[],
): Promise<DatabaseAddresses> {
  const postgres = await startEmbeddedPostgres({
    dir: dataFilesOf(config.dataDir).postgres,
    log,
  });
  undo.push(() => postgres.stop());
  return { url: postgres.serviceUrl, ownerUrl: postgres.url };
}

async function startDevChains(
  config: Config,
  log: (line: string) => void,
  undo: (() => Promise<unknown>)[],
): Promise<readonly DevChain[]> {
  const started = config.devChains.map(async (network) => {
    const chain = await startDevChain({
      network,
      dataDir: config.dataDir,
      preferredPort: DEV_CHAIN_PORTS[network],
      log,
    });
    const intervalMs = config.devBlockIntervalMs;
    const miner: DevMiner | null = intervalMs === 0 ? null : startDevMiner(chain, { intervalMs });
    undo.push(async () => {
      await miner?.stop();
      await chain.stop();
    });
    return chain;
  });
  const settled = await Promise.allSettled(started);
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** A development chain as the listener sees it. */
export function devChainSource(chain: DevChain): ChainSource {
  const contracts = Object.fromEntries(Object.entries(chain.tokens).map(([symbol, token]) => [symbol, token.address]));
  return {
    profile: developmentProfile({ network: chain.network, chainId: String(chain.chainId), contracts }),
    rpcUrls: [chain.rpcUrl],
    wsUrl: chain.wsUrl,
  };
}

/** A secret of this machine, made once. Deployments bring their own by environment variable. */
async function generatedSecret(path: string): Promise<string> {
  const known = await readSecretFile(path);
  if (known !== null) return known.trim();
  const secret = randomBytes(32).toString('hex');
  await writeSecretFile(path, secret);
  return secret;
}

/** The vault of this directory, made at its first start and never again: another seed would not open its addresses. */
async function vaultOf(config: Config): Promise<VaultLocation> {
  const { vault: path, vaultPassphrase, sandbox } = dataFilesOf(config.dataDir);
  const isThere = (await readSecretFile(path)) !== null;
  if (!isThere && (await readSecretFile(sandbox)) !== null) {
    throw new Error(
      `${path} is missing, though ${config.dataDir} was in use before: the keys of its addresses were in that file. ` +
        'Restore vault.json from your backup. To begin again without it, set DATA_DIR to a new directory.',
    );
  }
  const passphrase = config.vaultPassphrase ?? (await generatedSecret(vaultPassphrase));
  // Making one takes as long as opening it, on purpose.
  if (isThere) return { path, passphrase };
  try {
    await createVaultFile(path, passphrase);
  } catch (error) {
    if (!(error instanceof VaultError && error.reason === 'exists')) throw error;
  }
  return { path, passphrase };
}
