import { posix } from 'node:path';
import { codeLines, isIn, isSpec, type Source, type SourceRule } from './source-rules.js';

const FLOOR = ['domain', 'platform', 'http'];
/**
 * The allowed imports of each room of src and its inner rooms: down the layers, and between features along one line.
 * An inner room has its own row if its imports differ. The wiring (`TOP`) may import everything, and no room may import
 * it.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  chains: ['domain'],
  vault: [
    'domain',
    'chains/evm/evm-transaction.ts',
    'chains/expiring-transaction.ts',
    'chains/solana/moves-message.ts',
    'chains/solana/unsigned-moves.ts',
    'chains/tron/transaction-bytes.ts',
    'chains/tron/unsigned-transaction.ts',
    'platform/source-imports.ts',
  ],
  http: ['domain'],
  'docs-pages': ['domain'],
  platform: ['domain'],
  // It only has types for the values of the start.
  'platform/runtime.ts': ['domain', 'chains', 'devtools/devnet', 'vault/opening-vault.ts'],
  'devtools/devnet': ['domain', 'chains', 'platform'],
  'devtools/chaos': ['domain', 'platform'],
  // Shared by features, without imports from them.
  auth: FLOOR,
  idempotency: [...FLOOR, 'auth'],
  'request-log': [...FLOOR, 'auth', 'idempotency'],
  staff: [...FLOOR, 'auth'],
  'audit-log': FLOOR,
  events: FLOOR,
  ledger: FLOOR,
  sanctions: FLOOR,
  'vault-status': FLOOR,
  // Their statements read tables of every room; those of the search also say what a withdrawal waits for.
  search: [...FLOOR, 'withdrawals/staff-steps.sql.ts'],
  charts: FLOOR,
  notes: FLOOR,
  // Its statement reads tables of every room, and the places of waiting deliveries.
  live: [...FLOOR, 'staff', 'webhooks/deliveries/waiting-endpoints.sql.ts'],
  pricing: [...FLOOR, 'chains'],
  offers: [...FLOOR, 'chains'],
  // Money in. Each room imports only rooms above it.
  'payments/addresses': [...FLOOR, 'vault'],
  'payments/deposits': FLOOR,
  'payments/intents': [...FLOOR, 'events', 'ledger', 'offers', 'payments/addresses', 'payments/deposits', 'pricing'],
  'payments/listener': [
    ...FLOOR,
    'chains',
    'ledger',
    'offers',
    'payments/addresses',
    'payments/deposits',
    'payments/intents',
  ],
  // Our funds.
  treasury: [...FLOOR, 'chains', 'ledger', 'offers', 'pricing', 'sanctions', 'vault', 'vault-status'],
  // Funds that belong to no intent, and money out.
  suspense: [...FLOOR, 'chains', 'ledger', 'payments/deposits', 'payments/intents', 'treasury'],
  'suspense/refunds': [...FLOOR, 'ledger', 'sanctions', 'suspense', 'treasury', 'vault'],
  withdrawals: [
    ...FLOOR,
    'events',
    'ledger',
    'offers',
    'sanctions',
    'suspense/refunds',
    'treasury',
    'vault',
    'vault-status',
  ],
  recovery: [...FLOOR, 'chains', 'ledger', 'suspense/refunds', 'treasury', 'withdrawals'],
  // Webhooks, sandbox, explanations and checks.
  webhooks: [...FLOOR, 'events'],
  'webhooks/endpoints': [...FLOOR, 'events'],
  'webhooks/deliveries': [...FLOOR, 'events', 'webhooks/endpoints'],
  'webhooks/recoveries': [...FLOOR, 'webhooks/deliveries', 'webhooks/endpoints'],
  // For staff: all merchants of an environment.
  'webhooks/overview': [...FLOOR, 'events', 'webhooks/deliveries', 'webhooks/endpoints'],
  'webhooks/replays': [
    ...FLOOR,
    'webhooks/deliveries',
    'webhooks/endpoints',
    'webhooks/overview',
    'webhooks/recoveries',
  ],
  sandbox: [...FLOOR, 'devtools/devnet', 'offers', 'payments/deposits', 'payments/intents', 'treasury', 'webhooks'],
  explain: [...FLOOR, 'offers', 'payments', 'pricing', 'webhooks'],
  'explain/verdict': ['domain'],
  auditor: [...FLOOR, 'audit-log', 'chains', 'ledger', 'treasury'],
  health: [...FLOOR, 'offers', 'payments/addresses', 'pricing', 'vault-status', 'withdrawals'],
  // The console's API: controllers and presenters over the operations services of every feature. No room imports it.
  admin: [
    ...FLOOR,
    'audit-log',
    'auditor',
    'auth',
    'charts',
    'events',
    'explain',
    'ledger',
    'live',
    'notes',
    'offers',
    'payments',
    'pricing',
    'request-log',
    'recovery',
    'sandbox',
    'sanctions',
    'search',
    'staff',
    'suspense',
    'treasury',
    'vault-status',
    'webhooks',
    'withdrawals',
  ],
};
const TOP = ['app', 'cli', 'main.ts', 'cli.ts', 'app.module.ts'];
/** Entry points of features import the caller; use cases receive the tenant as an argument. */
const ENTRY_POINT = /(\.controller|\.check|-http\.module)\.ts$/;
/** Rooms that entry points build on, and that have none themselves. */
const WITHOUT_ENTRY_POINTS = [...FLOOR, 'auth', 'idempotency'];
const DOMAIN_PACKAGES = /^(node:crypto|node:zlib|ulid|@noble\/hashes(\/.+)?|@scure\/base)$/;

interface Import {
  readonly specifier: string;
  /** Path of the imported source; null for a package. */
  readonly target: string | null;
  readonly line: number;
}

function importsOf(source: Source): Import[] {
  const found: Import[] = [];
  for (const [line, code] of codeLines(source)) {
    for (const [, specifier = ''] of code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)) {
      const target = posix.join(posix.dirname(source.path), specifier).replace(/\.js$/, '.ts');
      found.push({ specifier, target: specifier.startsWith('.') ? target : null, line });
    }
  }
  return found;
}

const placeOf = (path: string): string => path.replace(/^src\//, '');

/** The innermost room of the table that contains a file; undefined when there is none. */
const roomOf = (path: string): string | undefined =>
  Object.keys(MAY_IMPORT)
    .filter((room) => isIn(placeOf(path), room))
    .toSorted((a, b) => b.length - a.length)[0];

/** Statements read tables of every room: an entity only describes its table. */
const isTable = (source: Source, target: string): boolean =>
  source.path.endsWith('.sql.ts') && target.endsWith('.entity.ts');

/** Imports lead down the layers, and between features along one line. */
export const importsLeadDown: SourceRule = (sources) =>
  sources
    .filter((source) => !isSpec(source) && !TOP.some((top) => isIn(placeOf(source.path), top)))
    .flatMap((source) => {
      const room = roomOf(source.path);
      if (room === undefined) return [`${source.path}:1 its room is unknown: add it to the table of rooms`];
      const listed = [...(MAY_IMPORT[room] ?? []), room];
      const isEntryPoint = ENTRY_POINT.test(source.path) && !WITHOUT_ENTRY_POINTS.includes(room);
      const allowed = isEntryPoint ? [...listed, 'auth', 'idempotency'] : listed;
      return importsOf(source)
        .filter(
          ({ target }) =>
            target !== null && !isTable(source, target) && !allowed.some((one) => isIn(placeOf(target), one)),
        )
        .map(({ line, specifier }) => `${source.path}:${line} must not import ${specifier}`);
    });

/** The domain is pure: no framework, no ORM, no I/O. */
export const domainIsPure: SourceRule = (sources) =>
  sources
    .filter((source) => !isSpec(source) && isIn(placeOf(source.path), 'domain'))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ target, specifier }) => target === null && !DOMAIN_PACKAGES.test(specifier))
        .map(({ line, specifier }) => `${source.path}:${line} the domain must not import ${specifier}`),
    );

/** Libraries that know a family of chains: its transactions, its keys and its addresses. */
const CHAIN_LIBRARIES =
  /^(ethers|tronweb|@ethereumjs|@trustwallet|@solana|@solana-program|@scure\/bip\d+|@noble\/curves|tiny-secp256k1)(\/|$)/;
const CHAIN_ROOMS = ['chains/evm', 'chains/solana', 'chains/tron', 'vault', 'devtools', 'cli/demo'];

/** Features know payments, not chains: another kind of chain changes none of them. */
export const chainLibrariesStayInChains: SourceRule = (sources) =>
  sources
    .filter((source) => !isSpec(source) && !CHAIN_ROOMS.some((room) => isIn(placeOf(source.path), room)))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ specifier }) => CHAIN_LIBRARIES.test(specifier))
        .map(({ line, specifier }) => `${source.path}:${line} must not import ${specifier}`),
    );

/** No file imports itself through other files; imports of types count. */
export const importsHaveNoCycle: SourceRule = (sources) => {
  const byPath = new Map(sources.filter((source) => !isSpec(source)).map((source) => [source.path, importsOf(source)]));
  const done = new Set<string>();
  const findings: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (done.has(path)) return;
    for (const { target, line } of byPath.get(path) ?? []) {
      if (target === null) continue;
      const way = [...trail, path];
      if (way.includes(target)) findings.push(`${path}:${line} cycle: ${[...way, target].join(' -> ')}`);
      else visit(target, way);
    }
    done.add(path);
  };
  for (const path of byPath.keys()) visit(path, []);
  return findings;
};

/** HTTP has modules of its own, which only the application imports: a command that needs services loads no controller. */
export const httpStandsApart: SourceRule = (sources) =>
  sources
    .filter((source) => !isSpec(source) && !/(-http\.module|-admin\.module|app\.module)\.ts$/.test(source.path))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ specifier }) => /(\.controller|-http\.module)\.js$/.test(specifier))
        .map(({ line, specifier }) => `${source.path}:${line} must not import ${specifier}`),
    );
