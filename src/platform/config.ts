import { resolve } from 'node:path';
import { z } from 'zod';
import {
  apiUrls,
  flag,
  list,
  passphrase,
  RPC_VARIABLES,
  rpcVariables,
  secretsKey,
  type TrustedProxies,
  trustedProxies,
  wholeNumber,
} from './config-values.js';
import { LIFETIME_SECONDS } from '../domain/intent-state.js';
import { type Environment, type Network, NETWORKS } from '../domain/network.js';
import { AMOUNT_CENTS_MAX } from '../domain/quote.js';
import { RETRY_BASE_MS } from '../domain/webhook-retry-schedule.js';
import { ConfigError } from './config-error.js';
import type { WebhooksConfig } from './webhooks-config.js';

export const ROLES = ['api', 'worker', 'listener', 'vault'] as const;
/** The role of a process (docs/architecture.md): `api` serves HTTP, `listener` reads chains, `vault` opens the seed. */
export type Role = (typeof ROLES)[number];

const PRICE_API_NAMES = ['coinbase', 'kraken', 'binance', 'coingecko'] as const;
/** A public API for prices. */
export type PriceApiName = (typeof PRICE_API_NAMES)[number];
const MARKET_SOURCE_NAMES = [...PRICE_API_NAMES, 'chainlink'] as const;
export const PRICE_SOURCE_NAMES = [...MARKET_SOURCE_NAMES, 'fixed', 'none'] as const;
/** Where prices come from (docs/prices.md). `fixed` is refused for live, `none` answers `price_unavailable`. */
export type PriceSourceName = (typeof PRICE_SOURCE_NAMES)[number];

const PORT_DEFAULT = 3000;

/** Every environment variable the service reads; README "Configuration" explains each. */
const variables = z.object({
  NODE_ENV: z.enum(['production', 'development', 'test']).default('production'),
  ROLES: list.pipe(z.array(z.enum(ROLES)).min(1, 'must name at least one role')).default([...ROLES]),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).optional(),
  BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  TRUST_PROXY: trustedProxies.default(0),
  DATA_DIR: z.string().min(1).default('.data'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  MIGRATION_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATABASE_POOL_MAX: wholeNumber(4, 500).default(8),
  LEASE_TTL_MS: wholeNumber(500, 60_000).default(4_000),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  INTENT_LIFETIME_SECONDS: wholeNumber(LIFETIME_SECONDS.min, LIFETIME_SECONDS.max).default(3600),
  OPEN_INTENTS_MAX: wholeNumber(1, 10_000_000).default(100_000),
  IDEMPOTENCY_RETENTION_HOURS: wholeNumber(24, 8760).default(24),
  API_REQUEST_RETENTION_DAYS: wholeNumber(1, 3650).default(7),
  RATE_LIMIT_PER_SECOND: wholeNumber(0, 1_000_000).optional(),
  RATE_LIMIT_BURST: wholeNumber(1, 1_000_000).optional(),
  RPC_REQUESTS_PER_SECOND: wholeNumber(1, 100_000).optional(),
  SECOND_NODE_ABOVE_CENTS: wholeNumber(0, AMOUNT_CENTS_MAX).default(100_000),
  WALLET_POOL_TARGET: wholeNumber(0, 1_000_000).default(2000),
  SWEEP_FEE_SHARE_BPS: wholeNumber(0, 10_000).default(100),
  HOT_WALLET_CAP_CENTS: wholeNumber(0, AMOUNT_CENTS_MAX).default(10_000_000),
  TRANSACTION_STUCK_AFTER_MS: wholeNumber(100, 3_600_000).default(30_000),
  NONCE_UNEXPLAINED_AFTER_MS: wholeNumber(100, 3_600_000).default(60_000),
  WEBHOOK_BACKOFF_BASE_MS: wholeNumber(1, 3_600_000).default(RETRY_BASE_MS),
  WEBHOOK_TIMEOUT_MS: wholeNumber(100, 60_000).default(10_000),
  WEBHOOK_IN_FLIGHT_PER_ENDPOINT: wholeNumber(0, 512).default(4),
  WEBHOOK_ALLOW_PRIVATE_TARGETS: flag.optional(),
  WEBHOOK_ANSWER_RETENTION_DAYS: wholeNumber(1, 3650).default(30),
  WEBHOOK_ATTEMPT_RETENTION_DAYS: wholeNumber(7, 3650).default(180),
  PRICE_SOURCES: list
    .pipe(z.array(z.enum(PRICE_SOURCE_NAMES)).min(1))
    .refine((names) => new Set(names).size === names.length, 'names a source twice: it cannot vouch for itself')
    .optional(),
  PRICE_SOURCE_URLS: apiUrls(PRICE_API_NAMES).optional(),
  COINGECKO_API_KEY: z.string().min(1).optional(),
  VAULT_PASSPHRASE: passphrase.optional(),
  NEW_VAULT_PASSPHRASE: passphrase.optional(),
  SECRETS_KEY: secretsKey.optional(),
  PREVIOUS_SECRETS_KEY: secretsKey.optional(),
  DEV_CHAINS: list.pipe(z.array(z.enum([...NETWORKS, 'none']))).optional(),
  DEV_BLOCK_INTERVAL_MS: wholeNumber(0, 60_000).default(1000),
  FAILPOINTS: list.optional(),
});

/** The names of the variables: a test compares them with the documentation. */
export const CONFIG_VARIABLES: readonly string[] = [
  ...Object.keys(variables.shape),
  ...Object.keys(rpcVariables.shape),
];

/** RPC nodes of one network in one environment, in the order they are tried. */
export interface RpcSetting {
  readonly environment: Environment;
  readonly network: Network;
  readonly urls: readonly string[];
}

/** The parsed configuration: frozen, typed, read once. */
export interface Config {
  readonly roles: ReadonlySet<Role>;
  readonly http: {
    readonly host: string;
    readonly port: number;
    /** True when PORT is set: then no other port is tried. */
    readonly isPortGiven: boolean;
    /** Public address; null until the port is known. */
    readonly baseUrl: string | null;
    readonly trustedProxies: TrustedProxies;
    readonly metricsPort: number | null;
  };
  readonly dataDir: string;
  readonly database: {
    readonly url: string | null;
    /** The address for the owner of the tables, who migrates; null = `url`. */
    readonly ownerUrl: string | null;
    readonly poolMax: number;
  };
  /** A leader that died is replaced this long after its last renewal. */
  readonly leaseTtlMs: number;
  readonly redisUrl: string | null;
  readonly logLevel: string;
  /** True when this process runs its own PostgreSQL: one machine, sandbox only. */
  readonly embedded: boolean;
  /** Networks for which this process runs a local development chain; none outside of the embedded sandbox by default. */
  readonly devChains: readonly Network[];
  /** Pause between the blocks that make a payment final on a development chain; 0 = only the user mines. */
  readonly devBlockIntervalMs: number;
  readonly rpc: readonly RpcSetting[];
  /** The most requests that this process sends to one node in a second; null = no limit. */
  readonly rpcRequestsPerSecond: number | null;
  /** Value in fiat minor units above which two nodes must confirm a deposit, on networks with two nodes. */
  readonly secondNodeAboveCents: number;
  readonly intents: { readonly lifetimeSeconds: number; readonly openMax: number };
  readonly idempotency: { readonly retentionHours: number };
  readonly requestLog: { readonly retentionDays: number };
  /** Null means off. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number } | null;
  readonly walletPoolTarget: number;
  readonly treasury: {
    /** Age after which a transaction that is not mined is replaced with a higher fee, if the network asks for more now. */
    readonly stuckAfterMs: number;
    /** Signing is frozen once a used nonce of ours has no recorded transaction for this long. */
    readonly unexplainedAfterMs: number;
    /** The largest cost of a sweep as a share of its value, in basis points; 0 = no sweeps. */
    readonly sweepFeeShareBps: number;
    /** The value of a hot wallet from which sweeps to it stop, except for waiting withdrawals; 0 = no cap. */
    readonly hotWalletCapCents: number;
  };
  readonly webhooks: WebhooksConfig;
  readonly priceSources: readonly PriceSourceName[];
  /** Base URLs that replace the hosts of price APIs, for mirrors and tests. */
  readonly priceSourceUrls: Readonly<Partial<Record<PriceApiName, string>>>;
  readonly coingeckoApiKey: string | null;
  readonly vaultPassphrase: string | null;
  /** The new passphrase for `vault change-passphrase`. */
  readonly newVaultPassphrase: string | null;
  readonly secretsKey: string | null;
  /** Opens secrets that were sealed before a key change; seals nothing. */
  readonly previousSecretsKey: string | null;
  /** Names of failpoints to arm (tests only). */
  readonly failpoints: readonly string[];
}

type Variables = z.infer<typeof variables>;

/** A network with a configured node needs no development chain. */
function devChainsOf(env: Variables, rpc: readonly RpcSetting[]): readonly Network[] {
  const wanted = env.DEV_CHAINS ?? (env.DATABASE_URL === undefined ? NETWORKS : []);
  const served = rpc.filter((setting) => setting.environment === 'sandbox').map((setting) => setting.network);
  return NETWORKS.filter((network) => wanted.includes(network) && !served.includes(network));
}

function contradictions(env: Variables, rpc: readonly RpcSetting[]): string[] {
  const problems: string[] = [];
  const hasLive = rpc.some((setting) => setting.environment === 'live');
  const isLocal = env.DATABASE_URL === undefined || devChainsOf(env, rpc).length > 0;
  if (hasLive && devChainsOf(env, rpc).length > 0) {
    problems.push('DEV_CHAINS: development chains are refused while live networks are configured');
  }
  if (hasLive && env.PRICE_SOURCES?.includes('fixed')) {
    problems.push('PRICE_SOURCES: fixed prices are refused while live networks are configured');
  }
  if (hasLive && env.DATABASE_URL === undefined) {
    problems.push('DATABASE_URL: live networks need their own database; the embedded one is for the sandbox only');
  }
  if (env.MIGRATION_DATABASE_URL !== undefined && env.DATABASE_URL === undefined) {
    problems.push('MIGRATION_DATABASE_URL: names the owner of the database in DATABASE_URL, which is not set');
  }
  if (env.FAILPOINTS !== undefined && (env.NODE_ENV !== 'test' || hasLive)) {
    problems.push('FAILPOINTS: only for tests (NODE_ENV=test) and never with live networks');
  }
  if (!isLocal && env.SECRETS_KEY === undefined && needsSecrets(env.ROLES)) {
    problems.push('SECRETS_KEY: the api and worker roles need it outside the embedded sandbox');
  }
  if (env.WEBHOOK_ANSWER_RETENTION_DAYS > env.WEBHOOK_ATTEMPT_RETENTION_DAYS) {
    problems.push('WEBHOOK_ANSWER_RETENTION_DAYS: an answer goes with its attempt (WEBHOOK_ATTEMPT_RETENTION_DAYS)');
  }
  return problems;
}

const needsSecrets = (roles: readonly Role[]): boolean => roles.includes('api') || roles.includes('worker');

function rateLimitOf(env: Variables, isSandboxOnly: boolean): Config['rateLimit'] {
  const perSecond = env.RATE_LIMIT_PER_SECOND ?? (isSandboxOnly ? 1000 : 100);
  return perSecond === 0 ? null : { perSecond, burst: env.RATE_LIMIT_BURST ?? perSecond * 2 };
}

const treasuryOf = (env: Variables): Config['treasury'] => ({
  stuckAfterMs: env.TRANSACTION_STUCK_AFTER_MS,
  unexplainedAfterMs: env.NONCE_UNEXPLAINED_AFTER_MS,
  sweepFeeShareBps: env.SWEEP_FEE_SHARE_BPS,
  hotWalletCapCents: env.HOT_WALLET_CAP_CENTS,
});

const webhooksOf = (env: Variables, isSandboxOnly: boolean): Config['webhooks'] => ({
  backoffBaseMs: env.WEBHOOK_BACKOFF_BASE_MS,
  timeoutMs: env.WEBHOOK_TIMEOUT_MS,
  inFlightPerEndpoint: env.WEBHOOK_IN_FLIGHT_PER_ENDPOINT,
  allowPrivateTargets: env.WEBHOOK_ALLOW_PRIVATE_TARGETS ?? isSandboxOnly,
  answerRetentionDays: env.WEBHOOK_ANSWER_RETENTION_DAYS,
  attemptRetentionDays: env.WEBHOOK_ATTEMPT_RETENTION_DAYS,
});

/**
 * Parses the environment into the configuration.
 * @throws ConfigError listing every bad variable by name.
 */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = variables.safeParse(given);
  const parsedRpc = rpcVariables.safeParse(given);
  if (!parsed.success || !parsedRpc.success) {
    const issues = [...(parsed.error?.issues ?? []), ...(parsedRpc.error?.issues ?? [])];
    throw new ConfigError(issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`));
  }
  const env = parsed.data;
  const rpc = RPC_VARIABLES.flatMap(({ environment: scope, network, name }) => {
    const urls = parsedRpc.data[name];
    return urls && urls.length > 0 ? [{ environment: scope, network, urls }] : [];
  });
  const problems = contradictions(env, rpc);
  if (problems.length > 0) throw new ConfigError(problems);

  const embedded = env.DATABASE_URL === undefined;
  const devChains = devChainsOf(env, rpc);
  const isSandboxOnly = embedded || devChains.length > 0;
  const config: Config = {
    roles: new Set(env.ROLES),
    http: {
      host: env.HOST,
      port: env.PORT ?? PORT_DEFAULT,
      isPortGiven: env.PORT !== undefined,
      baseUrl: env.BASE_URL?.replace(/\/+$/, '') ?? null,
      trustedProxies: env.TRUST_PROXY,
      metricsPort: env.METRICS_PORT ?? null,
    },
    dataDir: resolve(env.DATA_DIR),
    database: {
      url: env.DATABASE_URL ?? null,
      ownerUrl: env.MIGRATION_DATABASE_URL ?? null,
      poolMax: env.DATABASE_POOL_MAX,
    },
    leaseTtlMs: env.LEASE_TTL_MS,
    redisUrl: env.REDIS_URL ?? null,
    logLevel: env.LOG_LEVEL,
    embedded,
    devChains,
    devBlockIntervalMs: env.DEV_BLOCK_INTERVAL_MS,
    rpc,
    rpcRequestsPerSecond: env.RPC_REQUESTS_PER_SECOND ?? null,
    secondNodeAboveCents: env.SECOND_NODE_ABOVE_CENTS,
    intents: { lifetimeSeconds: env.INTENT_LIFETIME_SECONDS, openMax: env.OPEN_INTENTS_MAX },
    idempotency: { retentionHours: env.IDEMPOTENCY_RETENTION_HOURS },
    requestLog: { retentionDays: env.API_REQUEST_RETENTION_DAYS },
    rateLimit: rateLimitOf(env, isSandboxOnly),
    walletPoolTarget: env.WALLET_POOL_TARGET,
    treasury: treasuryOf(env),
    webhooks: webhooksOf(env, isSandboxOnly),
    priceSources: env.PRICE_SOURCES ?? (isSandboxOnly ? ['fixed'] : MARKET_SOURCE_NAMES),
    priceSourceUrls: env.PRICE_SOURCE_URLS ?? {},
    coingeckoApiKey: env.COINGECKO_API_KEY ?? null,
    vaultPassphrase: env.VAULT_PASSPHRASE ?? null,
    newVaultPassphrase: env.NEW_VAULT_PASSPHRASE ?? null,
    secretsKey: env.SECRETS_KEY ?? null,
    previousSecretsKey: env.PREVIOUS_SECRETS_KEY ?? null,
    failpoints: env.FAILPOINTS ?? [],
  };
  return Object.freeze(config);
}

/** Reads the environment of the process; no other code does. */
export function readConfig(overrides: Readonly<Record<string, string | undefined>> = {}): Config {
  return parseConfig({ ...process.env, ...overrides });
}

/** Injection token of the configuration. */
export const CONFIG = Symbol('Config');
