import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { developmentProfile } from '../../chains/networks.js';
import type { ChainSource } from '../../chains/registry.js';
import { type DevChain, startDevChain } from '../../devtools/devnet/dev-chain.js';
import type { Config } from '../../platform/config.js';
import { lockDataDir, readSecretFile, writeSecretFile } from '../../platform/data-dir.js';
import { startEmbeddedPostgres } from '../../platform/database/embedded-postgres.js';
import { VaultError } from '../../vault/vault.js';
import { OpeningVault, type VaultLocation } from '../../vault/opening-vault.js';
import { createVaultFile } from '../../vault/vault-file.js';
import { dataFilesOf } from './data-files.js';
import type { DatabaseAddresses } from './prepare-database.js';

/** The local parts that the service runs by itself: PostgreSQL, development chains, generated secrets. */
export interface LocalStack {
  readonly database: DatabaseAddresses;
  readonly secretsKey: string;
  /** Null in a process without the vault role. */
  readonly vault: OpeningVault | null;
  readonly devChains: readonly DevChain[];
  /** Stops what this start began or adopted, in order. Otherwise everything keeps running, and the next start adopts it. */
  stop(): Promise<void>;
}

/** Starts or adopts the stack in `DATA_DIR`, which belongs to this process until it stops. */
export async function startLocalStack(config: Config, logger: Logger): Promise<LocalStack> {
  const log = (line: string): void => logger.info(line);
  const lock = await lockDataDir(config.dataDir);
  const undo: (() => Promise<unknown>)[] = [() => lock.release()];
  const stop = async (): Promise<void> => {
    for (const step of undo.toReversed())
      await step().catch((error: unknown) => logger.error({ err: error }, 'A part of the local stack did not stop.'));
  };
  try {
    const [vault, database, devChains] = await allEnded(
      startVault(config, undo),
      startDatabase(config, log, undo),
      startDevChains(config, log, undo),
    );
    return {
      database,
      secretsKey: config.secretsKey ?? (await generatedSecret(dataFilesOf(config.dataDir).secretsKey)),
      vault,
      devChains,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the results once all have ended, so that a failure of one does not leave another half started. */
async function allEnded<Parts extends readonly Promise<unknown>[]>(
  ...parts: Parts
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}

/** Begins to open the vault, and returns as soon as its file is there. */
async function startVault(config: Config, undo: (() => Promise<unknown>)[]): Promise<OpeningVault | null> {
  const location = await vaultOf(config);
  if (!config.roles.has('vault')) return null;
  const vault = new OpeningVault(location);
  undo.push(() => vault.close());
  return vault;
}

/** Returns the configured database, or starts the embedded one. */
async function startDatabase(
  config: Config,
  log: (line: string) => void,
  undo: (() => Promise<unknown>)[],
): Promise<DatabaseAddresses> {
  const { url, ownerUrl } = config.database;
  if (url !== null) return { url, ownerUrl };
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
  const { dataDir, devBlockIntervalMs: blockIntervalMs } = config;
  const started = config.devChains.map(async (network) => {
    const chain = await startDevChain(network, { dataDir, blockIntervalMs, log });
    undo.push(() => chain.stop());
    return chain;
  });
  const settled = await Promise.allSettled(started);
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** A development chain as a source for the listener. */
export function devChainSource(chain: DevChain): ChainSource {
  const contracts = Object.fromEntries(Object.entries(chain.tokens).map(([symbol, token]) => [symbol, token.address]));
  return {
    profile: developmentProfile({ network: chain.network, chainId: String(chain.chainId), contracts }),
    rpcUrls: [chain.rpcUrl],
    ...('wsUrl' in chain && { wsUrl: chain.wsUrl }),
  };
}

/** Returns a secret of this machine, generated once. Deployments set their own by environment variable. */
async function generatedSecret(path: string): Promise<string> {
  const known = await readSecretFile(path);
  if (known !== null) return known.trim();
  const secret = randomBytes(32).toString('hex');
  await writeSecretFile(path, secret);
  return secret;
}

/** Returns the vault of this directory, which is created only once: another seed would not have the keys of its addresses. */
async function vaultOf(config: Config): Promise<VaultLocation> {
  const { vault: path, vaultPassphrase, sandbox } = dataFilesOf(config.dataDir);
  const isThere = (await readSecretFile(path)) !== null;
  if (!isThere && (await readSecretFile(sandbox)) !== null) {
    throw new Error(
      `${path} is missing, but ${config.dataDir} was in use before: that file holds the keys of its addresses. ` +
        'Restore vault.json from your backup. To start again without it, set DATA_DIR to a new directory.',
    );
  }
  const passphrase = config.vaultPassphrase ?? (await generatedSecret(vaultPassphrase));
  // Creating a vault is slow on purpose, like opening it.
  if (isThere) return { path, passphrase };
  try {
    await createVaultFile(path, passphrase);
  } catch (error) {
    if (!(error instanceof VaultError && error.reason === 'exists')) throw error;
  }
  return { path, passphrase };
}
