import { parseConfig, readConfig, ROLES } from './config.js';
import { ConfigError } from './config-error.js';

/** The settings of a deployed service: its database and its secrets. */
const DEPLOYED = {
  DATABASE_URL: 'postgres://db/coffer',
  VAULT_PASSPHRASE: 'correct horse battery staple',
  SECRETS_KEY: 'a'.repeat(64),
};
const LIVE = { ...DEPLOYED, LIVE_POLYGON_RPC_URL: 'https://node.example' };

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    parseConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('the configuration', () => {
  it('refuses a duplicate price source, which would form a quorum alone [E-58]', () => {
    expect(problemsOf({ ...LIVE, PRICE_SOURCES: 'kraken,kraken,coingecko' })).toEqual([
      'PRICE_SOURCES: names a source twice: it cannot vouch for itself',
    ]);
  });

  it('of an empty environment is the embedded sandbox with every role', () => {
    expect(parseConfig({})).toMatchObject({
      roles: new Set(ROLES),
      http: { host: '127.0.0.1', port: 3000, baseUrl: null },
      database: { url: null },
      redisUrl: null,
      embedded: true,
      devChains: ['ethereum', 'polygon', 'bnb', 'solana', 'tron'],
      intents: { lifetimeSeconds: 3600, openMax: 100_000 },
      idempotency: { retentionHours: 24 },
      requestLog: { retentionDays: 7 },
      rateLimit: { perSecond: 1000, burst: 2000 },
      walletPoolTarget: 2000,
      webhooks: {
        backoffBaseMs: 30_000,
        timeoutMs: 10_000,
        allowPrivateTargets: true,
        answerRetentionDays: 30,
        attemptRetentionDays: 180,
      },
      priceSources: ['fixed'],
      priceSourceUrls: {},
      coingeckoApiKey: null,
    });
  });

  it('of a deployed service is stricter: prices of the market, no private webhook targets, no development chains', () => {
    expect(parseConfig(DEPLOYED)).toMatchObject({
      embedded: false,
      devChains: [],
      rateLimit: { perSecond: 100, burst: 200 },
      webhooks: { allowPrivateTargets: false },
      priceSources: ['coinbase', 'kraken', 'binance', 'coingecko', 'chainlink'],
    });
  });

  it('treats an empty variable as not set', () => {
    expect(parseConfig({ PORT: '', REDIS_URL: '', ROLES: '' })).toEqual(parseConfig({}));
  });

  it('reads lists with spaces, and RPC nodes in the order they are tried', () => {
    const config = parseConfig({
      ...LIVE,
      ROLES: ' api , worker',
      LIVE_POLYGON_RPC_URL: 'https://a.example, https://b.example',
    });
    expect(config.roles).toEqual(new Set(['api', 'worker']));
    expect(config.rpc).toEqual([
      { environment: 'live', network: 'polygon', urls: ['https://a.example', 'https://b.example'] },
    ]);
  });

  it('reads the URLs that replace the hosts of price APIs', () => {
    const urls = 'coinbase=http://127.0.0.1:8080/a?b=c, kraken=https://mirror.example';
    expect(parseConfig({ PRICE_SOURCE_URLS: urls }).priceSourceUrls).toEqual({
      coinbase: 'http://127.0.0.1:8080/a?b=c',
      kraken: 'https://mirror.example',
    });
  });

  it('runs no development chain for a network with a configured node', () => {
    const served = {
      SANDBOX_BNB_RPC_URL: 'http://127.0.0.1:8545',
      SANDBOX_SOLANA_RPC_URL: 'http://127.0.0.1:8899',
      SANDBOX_TRON_RPC_URL: 'http://127.0.0.1:8090#solidity=8091',
    };
    expect(parseConfig(served).devChains).toEqual(['ethereum', 'polygon']);
    expect(parseConfig({ DEV_CHAINS: 'solana,tron' }).devChains).toEqual(['solana', 'tron']);
    expect(parseConfig({ DEV_CHAINS: 'none' }).devChains).toEqual([]);
  });

  it('switches the rate limit off with 0', () => {
    expect(parseConfig({ RATE_LIMIT_PER_SECOND: '0' }).rateLimit).toBeNull();
  });

  it.each<[text: string, proxies: unknown]>([
    ['false', 0],
    ['true', 1],
    ['0', 0],
    ['2', 2],
    ['10.0.0.0/8, 127.0.0.1,fd00::/8', ['10.0.0.0/8', '127.0.0.1', 'fd00::/8']],
  ])('reads which proxies are trusted: %s', (text, proxies) => {
    expect(parseConfig({ TRUST_PROXY: text }).http.trustedProxies).toEqual(proxies);
  });

  it.each(['yes', '11', '-1', '1.5', '10.0.0.0/33', '10.1', '0.0.0.0/0', '::/0', 'loopback', '10.0.0.0/8,', 'TRUE'])(
    'refuses %s as trusted proxies',
    (text) => {
      expect(problemsOf({ TRUST_PROXY: text })).toEqual([
        expect.stringMatching(/^TRUST_PROXY: must be true, false, a/),
      ]);
    },
  );

  it('records whether PORT is set', () => {
    expect(parseConfig({}).http).toMatchObject({ port: 3000, isPortGiven: false });
    expect(parseConfig({ PORT: '3000' }).http).toMatchObject({ port: 3000, isPortGiven: true });
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(parseConfig({}))).toBe(true);
  });

  it('reads the environment of the process, with what the caller overrides', () => {
    expect(readConfig({ PORT: '0', DATABASE_URL: undefined }).http.port).toBe(0);
  });
});

describe('an invalid configuration', () => {
  it('is refused with all invalid variables in one message', () => {
    const environment = {
      PORT: '99999',
      ROLES: 'api,cook',
      DATABASE_URL: 'mysql://db',
      WALLET_POOL_TARGET: '1.5',
      TRUST_PROXY: 'yes',
      LIVE_BNB_RPC_URL: 'ftp://node',
      SECRETS_KEY: 'abc',
    };
    const names = problemsOf(environment).map((problem) => problem.split(':')[0]);
    expect(new Set(names)).toEqual(new Set(Object.keys(environment)));
    expect(() => parseConfig(environment)).toThrow(/^The configuration is invalid:\n( {2}- .+\n?){7}$/);
  });

  it('never repeats a value, which may be a secret [B-25]', () => {
    const secret = 'hunter2';
    const problems = problemsOf({
      VAULT_PASSPHRASE: secret,
      SECRETS_KEY: secret,
      DATABASE_URL: `mysql://user:${secret}@db`,
      REDIS_URL: `http://:${secret}@redis`,
      LIVE_POLYGON_RPC_URL: `ftp://node/${secret}`,
      PORT: secret,
    });
    expect(problems).toHaveLength(6);
    expect(problems.join()).not.toContain(secret);
  });

  it.each<[rule: string, environment: Record<string, string>, name: string]>([
    ['fixed prices on live networks', { ...LIVE, PRICE_SOURCES: 'fixed' }, 'PRICE_SOURCES'],
    ['an unknown price source', { PRICE_SOURCES: 'coinbase,bitfinex' }, 'PRICE_SOURCES'],
    ['the URL of an unknown price source', { PRICE_SOURCE_URLS: 'chainlink=https://a.example' }, 'PRICE_SOURCE_URLS'],
    ['an invalid URL of a price source', { PRICE_SOURCE_URLS: 'kraken=ftp://a.example' }, 'PRICE_SOURCE_URLS'],
    ['a price source without its URL', { PRICE_SOURCE_URLS: 'kraken' }, 'PRICE_SOURCE_URLS'],
    [
      'a duplicate node',
      { ...LIVE, LIVE_POLYGON_RPC_URL: 'https://a.example,https://a.example' },
      'LIVE_POLYGON_RPC_URL',
    ],
    ['live networks on the embedded database', { LIVE_POLYGON_RPC_URL: 'https://n.example' }, 'DATABASE_URL'],
    ['an owner of no database', { MIGRATION_DATABASE_URL: 'postgres://db/x' }, 'MIGRATION_DATABASE_URL'],
    ['live networks beside development chains', { ...LIVE, DEV_CHAINS: 'bnb' }, 'DEV_CHAINS'],
    [
      'answers that outlive their attempts',
      { WEBHOOK_ANSWER_RETENTION_DAYS: '31', WEBHOOK_ATTEMPT_RETENTION_DAYS: '30' },
      'WEBHOOK_ANSWER_RETENTION_DAYS',
    ],
    ['failpoints outside a test', { FAILPOINTS: 'settle.before' }, 'FAILPOINTS'],
    ['failpoints with live networks', { ...LIVE, NODE_ENV: 'test', FAILPOINTS: 'settle.before' }, 'FAILPOINTS'],
    ['secrets without a key', { ...DEPLOYED, SECRETS_KEY: '' }, 'SECRETS_KEY'],
    ['a short passphrase', { ...DEPLOYED, VAULT_PASSPHRASE: 'short' }, 'VAULT_PASSPHRASE'],
    ['no role at all', { ROLES: ' , ' }, 'ROLES'],
  ])('is one with %s [N-181]', (_rule, environment, name) => {
    expect(problemsOf(environment).map((problem) => problem.split(':')[0])).toContain(name);
  });

  it('needs no passphrase without a vault, and no key where nothing is encrypted', () => {
    const { DATABASE_URL } = DEPLOYED;
    expect(problemsOf({ DATABASE_URL, ROLES: 'listener' })).toEqual([]);
    expect(problemsOf({ DATABASE_URL, SECRETS_KEY: DEPLOYED.SECRETS_KEY, ROLES: 'api' })).toEqual([]);
  });

  it('allows a vault without a passphrase, which stays sealed [L-154]', () => {
    expect(parseConfig({ ...DEPLOYED, VAULT_PASSPHRASE: '' }).vaultPassphrase).toBeNull();
  });
});
