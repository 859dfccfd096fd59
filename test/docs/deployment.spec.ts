import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { z } from 'zod';
import { CONFIG_VARIABLES, parseConfig, ROLES } from '../../src/platform/config.js';
import { readDocument, tableUnder } from '../support/markdown.js';

const service = z.looseObject({
  image: z.string(),
  build: z.string().optional(),
  environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  volumes: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  deploy: z.object({ replicas: z.number() }).default({ replicas: 1 }),
  command: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  ulimits: z.looseObject({ core: z.number() }).optional(),
});
const compose = z.looseObject({ services: z.record(z.string(), service) });

/** The lock file marks what production does without. */
const locked = z.looseObject({ packages: z.record(z.string(), z.looseObject({ dev: z.boolean().default(false) })) });
const LIBRARY_OF_PAGES =
  /(?:^|\/)node_modules\/(?:react|react-dom|scheduler|vite|@mantine\/.+|@tanstack\/.+|@primer\/.+)$/;

const text = readDocument('docker-compose.yml');
const { services } = compose.parse(load(text, { schema: CORE_SCHEMA.withTags(mergeTag) }));
const ours = Object.entries(services).filter(([, { build }]) => build !== undefined);

/** The values in an operator's `.env`. Compose inserts them for `${NAME:-default}` and `${NAME:?message}`. */
const FILLED: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: 'sesame',
  SERVICE_DATABASE_PASSWORD: 'open',
  SECRETS_KEY: 'ab'.repeat(32),
  VAULT_PASSPHRASE: 'correct horse battery',
  PRICE_SOURCES: 'fixed',
  SANDBOX_POLYGON_RPC_URL: 'https://rpc.example',
};
const filledIn = (value: string | number): string =>
  String(value).replaceAll(/\$\{(\w+):[-?]([^}]*)\}/g, (found, name: string, rest: string) =>
    found.includes(':-') ? (FILLED[name] ?? rest) : (FILLED[name] ?? ''),
  );

const exampleNames = [...readDocument('.env.example').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = '']) => name);

describe('docker-compose.yml', () => {
  it('runs every role in a container of its own, from one image of this version', () => {
    const { version } = JSON.parse(readDocument('package.json')) as { version: string };
    expect(ours.flatMap(([, { environment }]) => String(environment['ROLES'] ?? '') || []).toSorted()).toEqual(
      [...ROLES].toSorted(),
    );
    expect([...new Set(ours.map(([, { image }]) => image))]).toEqual([`coffer:${version}`]);
  });

  it('runs every role twice, as docs/operations.md advises, except for the vault', () => {
    const played = ours.filter(([, { environment }]) => 'ROLES' in environment);
    expect(played.map(([name, { deploy }]) => [name, deploy.replicas])).toEqual([
      ['api', 2],
      ['worker', 2],
      ['listener', 2],
      ['vault', 1],
    ]);
    // As many host ports as api processes: with one port the second process would not start.
    const [, first = '', last = ''] = /:(\d+)-(\d+):3000$/.exec(services['api']?.ports[0] ?? '') ?? [];
    expect(Number(last) - Number(first) + 1).toBe(2);
  });

  it('gives PostgreSQL more connections than all processes together may hold, and a Redis that evicts nothing', () => {
    const pools = ours.map(([, { environment, deploy }]) => {
      const given = Object.entries(environment).map(([name, value]) => [name, filledIn(value)] as const);
      return deploy.replicas * parseConfig({ ROLES: 'listener', ...Object.fromEntries(given) }).database.poolMax;
    });
    const allowed = /max_connections=(\d+)/.exec(services['postgres']?.command.join(' ') ?? '')?.[1];
    // Three are reserved for superusers, and an operator may connect as well.
    expect(Number(allowed)).toBeGreaterThanOrEqual(pools.reduce((sum, pool) => sum + pool) + 3 + 10);
    expect(services['redis']?.command.join(' ')).toContain('--maxmemory-policy noeviction');
  });

  it.each(ours)('gives %s an environment that the configuration accepts', (_name, { environment }) => {
    expect(Object.keys(environment).filter((name) => !CONFIG_VARIABLES.includes(name))).toEqual([]);
    const given = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filledIn(value)]));
    // The image does not set ROLES, so a command runs without the secrets of the roles, like the listener.
    expect(parseConfig({ ROLES: 'listener', ...given }).roles.size).toBe(1);
  });

  it('gives the passphrase and the vault file only to the vault, which has no outbound network', () => {
    const holders = ours.filter(([, { environment }]) => 'VAULT_PASSPHRASE' in environment).map(([name]) => name);
    const mounts = ours.filter(([, { volumes }]) => volumes.length > 0).map(([name]) => name);
    expect(holders).toEqual(['vault', 'vault-init']);
    expect(mounts).toEqual(holders);
    expect(services['vault']?.networks).toEqual(['inside']);
  });

  it('gives the role that owns the tables only to the migrations, and every process a role that owns nothing [H-101]', () => {
    const owners = ours.filter(([, { environment }]) => 'MIGRATION_DATABASE_URL' in environment).map(([name]) => name);
    const roles = ours.flatMap(([, { environment }]) => {
      const url = environment['DATABASE_URL'];
      return url === undefined ? [] : [new URL(filledIn(url)).username];
    });
    expect(owners).toEqual(['migrate']);
    expect(new Set(roles)).toEqual(new Set(['coffer_service']));
  });

  it('lets none of our processes write its memory to a disk [L-160]', () => {
    expect(ours.map(([name, { ulimits }]) => [name, ulimits?.core])).toEqual(ours.map(([name]) => [name, 0]));
  });

  it('passes every setting to a container under its own name, or lists it with a reason', () => {
    const passed = ours.flatMap(([, { environment }]) =>
      Object.entries(environment).flatMap(([name, value]) => (String(value).includes(`\${${name}:`) ? [name] : [])),
    );
    const withheld = [...text.matchAll(/^# {3}([A-Z_]+): (.+)$/gm)].map(([, name = '']) => name);
    expect([...new Set(passed), ...withheld].toSorted()).toEqual([...CONFIG_VARIABLES].toSorted());
  });

  it('gives each secret to the containers that need it, and every other setting to every role', () => {
    const secrets = {
      VAULT_PASSPHRASE: ['vault', 'vault-init'],
      SECRETS_KEY: ['api', 'worker'],
      PREVIOUS_SECRETS_KEY: ['api', 'worker'],
      COINGECKO_API_KEY: ['worker'],
      MIGRATION_DATABASE_URL: ['migrate'],
    };
    for (const [secret, holders] of Object.entries(secrets)) {
      const found = ours.filter(([, { environment }]) => secret in environment).map(([name]) => name);
      expect([secret, found.toSorted()]).toEqual([secret, holders]);
    }
    const namesOf = (name: string): string[] =>
      Object.keys(services[name]?.environment ?? {}).filter((setting) => !(setting in secrets));
    // Two roles have fewer connections than the default.
    const shared = namesOf('api').toSorted();
    for (const role of ROLES) {
      const names = namesOf(role).filter((setting) => setting !== 'DATABASE_POOL_MAX');
      expect([role, names.toSorted()]).toEqual([role, shared]);
    }
  });

  it('uses no variable that .env.example does not have', () => {
    const asked = [...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
    expect(asked.filter((name) => !exampleNames.includes(name))).toEqual([]);
  });
});

describe('.env.example', () => {
  it('names every variable of the configuration once', () => {
    expect(exampleNames.toSorted()).toEqual(
      [...CONFIG_VARIABLES, 'POSTGRES_PASSWORD', 'SERVICE_DATABASE_PASSWORD'].toSorted(),
    );
  });
});

describe('the default of a setting', () => {
  const deployed = { ROLES: 'listener', DATABASE_URL: 'postgres://db/coffer' };
  const limits =
    readDocument('.env.example')
      .split(/^# --- /m)
      .find((part) => part.startsWith('Limits and times ')) ?? '';
  const documented = [
    ...tableUnder(readDocument('README.md'), 'Configuration').flatMap(([name = '', value = '']) =>
      /^(?:\d+|true|false)(?=;|$)/.exec(value) === null ? [] : [['README.md', name, value.split(';')[0] ?? '']],
    ),
    ...[...limits.matchAll(/^#([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => ['.env.example', name, value]),
  ];

  it.each(documented)('is in %s: %s=%s', (_document, name, value) => {
    expect(documented.length).toBeGreaterThan(30);
    const { http, ...others } = parseConfig(deployed);
    const expected = { ...others, http: { ...http, isPortGiven: name === 'PORT' } };
    expect(parseConfig({ ...deployed, [name ?? '']: value ?? '' })).toEqual(expected);
  });
});

describe('the image', () => {
  const dockerfile = readDocument('Dockerfile');

  it('is built by the steps of the README, and runs without development dependencies as an unprivileged user', () => {
    const [build = '', run = ''] = dockerfile.split(/^FROM /m).slice(1);
    expect([...build.matchAll(/^RUN (.+)$/gm)].map(([, step]) => step)).toEqual([
      'npm install',
      'npm run build',
      'npm prune --omit=dev',
    ]);
    expect(run).toMatch(/^USER node$/m);
    expect(run).toContain('/health/live');
  });

  it('holds no React: it prunes every library of the pages, and copies of the pages what was built alone', () => {
    const { packages } = locked.parse(JSON.parse(readDocument('package-lock.json')));
    const ofPages = Object.entries(packages).filter(([path]) => LIBRARY_OF_PAGES.test(path));
    expect(ofPages.map(([path]) => path)).toContain('node_modules/react');
    expect(ofPages.filter(([, { dev }]) => !dev)).toEqual([]);
    const copied = [...dockerfile.matchAll(/^COPY --from=build \/coffer\/(\S+)/gm)].map(([, path = '']) => path);
    expect(copied.filter((path) => path.startsWith('admin-ui'))).toEqual(['admin-ui/dist']);
  });

  it('contains no data, builds or secrets of the build machine', () => {
    const ignored = readDocument('.dockerignore').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.git', '.data', '.env', '**/dist', '**/node_modules']));
  });
});

describe('CHANGELOG.md', () => {
  it('has a section for this version', () => {
    const { version } = JSON.parse(readDocument('package.json')) as { version: string };
    expect(readDocument('CHANGELOG.md')).toContain(`\n## ${version}\n`);
  });
});
