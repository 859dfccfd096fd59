import { posix } from 'node:path';

/** One source file; `path` is relative to the repository, such as `src/domain/ids.ts`. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Looks at all sources together and names what breaks its rule, one line per finding: `path:line what is wrong`. */
export type SourceRule = (sources: readonly Source[]) => string[];

const LINES_MAX = 300;

const FLOOR = ['domain', 'platform', 'http'];
/**
 * What each folder of src may import: down to the floors below, and between features along one line. Folders without a
 * row of their own here (`TOP`) wire everything together, so nothing imports them.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  chains: ['domain'],
  vault: ['domain'],
  http: ['domain'],
  platform: ['domain'],
  // It only names what the start found and the roles need.
  'platform/runtime.ts': ['domain', 'chains', 'devnet'],
  devnet: ['domain', 'chains', 'platform'],
  chaos: ['domain', 'platform'],
  auth: FLOOR,
  events: FLOOR,
  ledger: FLOOR,
  pricing: [...FLOOR, 'chains'],
  wallets: [...FLOOR, 'vault'],
  networks: [...FLOOR, 'chains'],
  sanctions: FLOOR,
  intents: [...FLOOR, 'events', 'ledger', 'pricing', 'wallets', 'networks'],
  deposits: [...FLOOR, 'chains', 'intents', 'ledger', 'networks'],
  suspense: [...FLOOR, 'chains', 'intents', 'ledger', 'treasury'],
  returns: [...FLOOR, 'ledger', 'sanctions', 'suspense', 'treasury', 'vault'],
  treasury: [...FLOOR, 'chains', 'vault', 'events', 'ledger', 'networks', 'pricing', 'wallets'],
  sweeps: [...FLOOR, 'chains', 'vault', 'ledger', 'networks', 'pricing', 'treasury'],
  // prettier-ignore
  withdrawals: [...FLOOR, 'events', 'ledger', 'networks', 'returns', 'sanctions', 'sweeps', 'treasury', 'vault', 'wallets'],
  webhooks: [...FLOOR, 'events'],
  sandbox: [...FLOOR, 'devnet', 'intents', 'networks', 'sweeps'],
  explain: [...FLOOR, 'intents', 'networks', 'pricing', 'webhooks'],
  auditor: [...FLOOR, 'chains', 'ledger', 'sweeps', 'treasury'],
  health: [...FLOOR, 'networks', 'pricing', 'wallets', 'withdrawals'],
};
const TOP = ['roles', 'start', 'cli', 'main.ts', 'cli.ts', 'app.module.ts', 'entities.ts'];
/** Entry points know the caller; use cases are told whom they work for. */
const ENTRY_POINT = /\.(controller|module)\.ts$/;
const DOMAIN_PACKAGES = /^(node:crypto|node:zlib|ulid|@noble\/hashes(\/.+)?)$/;

interface Import {
  readonly specifier: string;
  /** Path of the imported source; null for a package. */
  readonly target: string | null;
  readonly line: number;
}

function* codeLines({ text }: Source): Generator<[line: number, code: string]> {
  for (const [i, code] of text.split('\n').entries()) {
    if (!/^\s*(\/\/|\/\*|\*)/.test(code)) yield [i + 1, code];
  }
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

const isSpec = ({ path }: Source): boolean => path.endsWith('.spec.ts');
const folderOf = (path: string): string => path.split('/')[1] ?? '';

/** Imports lead down the floors, and between features along the one line. */
export const importsLeadDown: SourceRule = (sources) =>
  sources
    .filter((source) => !isSpec(source) && !TOP.includes(folderOf(source.path)))
    .flatMap((source) => {
      const folder = folderOf(source.path);
      const listed = MAY_IMPORT[source.path.replace('src/', '')] ?? MAY_IMPORT[folder];
      if (listed === undefined) return [`${source.path}:1 its folder has no floor: add it to the table of floors`];
      const allowed = ENTRY_POINT.test(source.path) ? [...listed, 'auth', folder] : [...listed, folder];
      return importsOf(source)
        .filter(({ target }) => target !== null && !allowed.includes(folderOf(target)))
        .map(({ line, specifier }) => `${source.path}:${line} must not import ${specifier}`);
    });

/** The domain is pure: no framework, no ORM, no I/O. */
export const domainIsPure: SourceRule = (sources) =>
  sources
    .filter((source) => !isSpec(source) && folderOf(source.path) === 'domain')
    .flatMap((source) =>
      importsOf(source)
        .filter(({ target, specifier }) => target === null && !DOMAIN_PACKAGES.test(specifier))
        .map(({ line, specifier }) => `${source.path}:${line} the domain must not import ${specifier}`),
    );

/** No file reaches itself through its imports, imports of types included. */
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

/** A barrel hides who depends on whom. */
export const noBarrels: SourceRule = (sources) =>
  sources.filter(({ path }) => /(^|\/)index\.ts$/.test(path)).map(({ path }) => `${path}:1 is a barrel`);

export const filesAreShort: SourceRule = (sources) =>
  sources.flatMap(({ path, text }) => {
    const lines = text.replace(/\n$/, '').split('\n').length;
    return lines > LINES_MAX ? [`${path}:${LINES_MAX + 1} has ${lines} lines, ${LINES_MAX} are allowed`] : [];
  });

/** A rule that forbids a word in code; comments and specs may use it. */
function forbids(word: RegExp, message: string, allowedIn: readonly string[] = []): SourceRule {
  return (sources) =>
    sources
      .filter((source) => !isSpec(source) && !allowedIn.includes(source.path))
      .flatMap((source) =>
        [...codeLines(source)]
          .filter(([, code]) => word.test(code))
          .map(([line]) => `${source.path}:${line} ${message}`),
      );
}

export const environmentIsReadOnce = forbids(/\bprocess\.env\b|\benv\b.*'node:process'/, 'reads the environment', [
  'src/platform/config.ts',
]);
export const noForwardRef = forbids(/\bforwardRef\b/, 'uses forwardRef, which hides a cycle');
export const noWeakRandomness = forbids(/\bMath\.random\b/, 'uses Math.random');
export const noFloatParsing = forbids(/\bparseFloat\b/, 'parses a float');
