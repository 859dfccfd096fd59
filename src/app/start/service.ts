import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger as NestLogger } from 'nestjs-pino';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { MIGRATIONS } from '../../../migrations/list.js';
import { AppModule } from '../../app.module.js';
import { ApiKeysService } from '../../auth/api-keys.service.js';
import { MerchantsService } from '../../auth/merchants.service.js';
import { notFound } from '../../domain/errors.js';
import { ENTITIES } from '../entities.js';
import { HealthService } from '../../health/health.service.js';
import { serveMetrics } from '../../health/metrics-server.js';
import { configureHttp } from '../../http/configure-http.js';
import { createHttpAdapter } from '../../http/http-server.js';
import type { Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { ormOptions } from '../../platform/database/orm.config.js';
import { armFailpoints } from '../../platform/failpoints.js';
import { Metrics } from '../../platform/metrics.js';
import type { Runtime } from '../../platform/runtime.js';
import { ensureFirstList } from '../../sanctions/list-writer.js';
import { SandboxStaff } from '../../staff/sandbox-staff.service.js';
import { RequestRecorder } from '../../request-log/request-recorder.service.js';
import { OpeningVault } from '../../vault/opening-vault.js';
import { VaultState } from '../../vault-status/vault-state.service.js';
import { API_TAGS, CONSOLE_TAGS, VERSION } from '../api-document/api-tags.js';
import type { Trouble } from './attention.js';
import { configuredChains } from './chain-sources.js';
import { dataFilesOf } from './data-files.js';
import { assertPortUsable, listen, portRefusal } from './listen.js';
import { devChainSource, type LocalStack, startLocalStack } from './local-stack.js';
import { type DatabaseAddresses, prepareDatabase } from './prepare-database.js';
import { ensureSandboxAccount, type SandboxAccount } from './sandbox-account.js';
import { troublesAtStart } from './start-troubles.js';
import { WEBHOOK_EXAMPLES } from '../api-document/webhook-examples.js';

const READY_WITHIN_MS = 60_000;

/** A running service. */
export interface RunningService {
  readonly url: string;
  readonly port: number;
  /** Returns a provider of the running service by its class. */
  get<Part>(part: Type<Part>): Part;
  /** Null outside of the embedded sandbox. */
  readonly account: SandboxAccount | null;
  readonly stack: LocalStack | null;
  /**
   * Resolves once payments can be collected on every network; false when that takes longer than a minute. Rejects with an
   * `AbortError` when the service stops meanwhile.
   */
  untilReady(): Promise<boolean>;
  /** Returns the problems at the start; takes 5 s at most. */
  troubles(): Promise<readonly Trouble[]>;
  /** Stops taking requests, finishes the running ones, and stops the embedded stack. */
  stop(): Promise<void>;
}

/** Starts one process of the service in its roles. Throws an error that says what to do. */
export async function startService(config: Config, logger: Logger): Promise<RunningService> {
  armFailpoints(config.failpoints);
  await assertPortUsable(config);
  const isLocal = config.embedded || config.devChains.length > 0;
  const stack = isLocal ? await startLocalStack(config, logger) : null;
  const vault = stack === null ? configuredVault(config) : stack.vault;
  try {
    return await startOn(config, logger, stack, vault);
  } catch (error) {
    await vault?.close();
    await stack?.stop();
    throw error;
  }
}

async function startOn(
  config: Config,
  logger: Logger,
  stack: LocalStack | null,
  vault: OpeningVault | null,
): Promise<RunningService> {
  let url = config.http.baseUrl ?? '';
  const addresses = stack?.database ?? addressesOf(config);
  const runtime = runtimeOf(config, { stack, vault, databaseUrl: addresses.url, baseUrl: () => url });
  await prepareDatabase(addresses, config.redisUrl === null);
  const orm = await MikroORM.init(
    ormOptions({
      url: runtime.databaseUrl,
      poolMax: config.database.poolMax,
      entities: ENTITIES,
      migrations: MIGRATIONS,
    }),
  );
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.with({ config, runtime, logger, orm }),
    createHttpAdapter(),
    { bodyParser: false, logger: false, abortOnError: false },
  );
  app.useLogger(app.get(NestLogger));
  app.set('trust proxy', config.http.trustedProxies);
  if (!config.roles.has('api')) app.use(refuseAllButHealth);
  configureHttp(app, {
    baseUrl: () => url,
    version: VERSION,
    tags: API_TAGS,
    webhooks: WEBHOOK_EXAMPLES,
    consoleTags: CONSOLE_TAGS,
  });
  app.use(app.get(RequestRecorder, { strict: false }).watch);
  const { account, port, closeMetrics } = await closingOnFailure(app, async () => ({
    account: await ensureFirstRows(app, config, stack),
    ...(await openPorts(app, config)),
  }));
  url = config.http.baseUrl ?? `http://${config.http.host}:${port}`;
  logger.info({ version: VERSION, roles: [...config.roles], url }, 'The service is up.');
  const stopping = new AbortController();

  return {
    url,
    port,
    account,
    stack,
    get: (part) => app.get(part, { strict: false }),
    untilReady: () => untilReady(app.get(HealthService), stack?.devChains.length ?? 1, stopping.signal),
    troubles: () => troublesAtStart(config, app.get(VaultState)),
    stop: async () => {
      stopping.abort();
      await app.close();
      await closeMetrics?.();
      await stack?.stop();
    },
  };
}

interface OpenPorts {
  readonly port: number;
  readonly closeMetrics: (() => Promise<void>) | null;
}

/** Closes the application when `work` fails: what was started must not outlive the database. */
async function closingOnFailure<Result>(app: NestExpressApplication, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Ensures a sanctions list, and in the embedded sandbox an account, before anything is served. */
async function ensureFirstRows(
  app: NestExpressApplication,
  { dataDir }: Config,
  stack: LocalStack | null,
): Promise<SandboxAccount | null> {
  const database = app.get(Database);
  await ensureFirstList(database);
  if (stack === null) return null;
  return ensureSandboxAccount(dataDir, {
    database,
    merchants: app.get(MerchantsService),
    keys: app.get(ApiKeysService),
    staff: app.get(SandboxStaff, { strict: false }),
  });
}

async function openPorts(app: NestExpressApplication, config: Config): Promise<OpenPorts> {
  const { host, metricsPort } = config.http;
  let closeMetrics: OpenPorts['closeMetrics'] = null;
  try {
    if (metricsPort !== null) {
      closeMetrics = await serveMetrics(app.get(Metrics), host, metricsPort).catch((error: unknown) => {
        throw portRefusal(error, host, metricsPort, 'METRICS_PORT');
      });
    }
    return { port: await listen(app, config), closeMetrics };
  } catch (error) {
    await closeMetrics?.();
    throw error;
  }
}

/** Makes a process without the api role answer only monitors. */
function refuseAllButHealth(req: Request, _res: Response, next: NextFunction): void {
  if (req.path.startsWith('/health/') || req.path === '/metrics') next();
  else next(notFound('route on this process'));
}

function addressesOf({ database: { url, ownerUrl } }: Config): DatabaseAddresses {
  if (url === null) throw new Error('No database is configured.');
  return { url, ownerUrl };
}

/** Begins to open the vault of this process; null without the role or a passphrase. */
function configuredVault({ roles, dataDir, vaultPassphrase: passphrase }: Config): OpeningVault | null {
  if (!roles.has('vault') || passphrase === null) return null;
  return new OpeningVault({ path: dataFilesOf(dataDir).vault, passphrase });
}

/** Returns the runtime, without the owner's address: the running service does not need it. */
function runtimeOf(
  config: Config,
  { stack, ...parts }: Pick<Runtime, 'vault' | 'databaseUrl' | 'baseUrl'> & { stack: LocalStack | null },
): Runtime {
  return {
    ...parts,
    // Roles without a key store no secrets. A random key opens nothing that others have stored.
    secretsKey: stack?.secretsKey ?? config.secretsKey ?? randomBytes(32).toString('hex'),
    chains: [...configuredChains(config), ...(stack?.devChains ?? []).map(devChainSource)],
    devChains: stack?.devChains ?? [],
  };
}

/** @param chainsMin the number of chains to wait for: others may never be ready when their nodes are down */
async function untilReady(health: HealthService, chainsMin: number, stopping: AbortSignal): Promise<boolean> {
  const until = performance.now() + READY_WITHIN_MS;
  while (performance.now() < until) {
    stopping.throwIfAborted();
    const { chains } = await health.readiness();
    const isFit = chains.every((chain) => chain.status === 'ok' && chain.can_collect);
    if (isFit && chains.length >= chainsMin) return true;
    await sleep(100);
  }
  return false;
}
