import { execFileSync } from 'node:child_process';
import type { Measured } from './measure-expressions.js';

/** Expressions whose steps may grow faster than their input, because that input is short or comes from the operator. */
const BOUNDED: Readonly<Record<string, string>> = {
  'src/cli/api-client.ts /\\/+$/': "the operator's own URL",
  'src/domain/money.ts /0+$/': 'a fraction of as many digits as a token has decimals',
  'src/domain/search-candidates.ts /"([^"\\n]{1,255})"|\'([^\'\\n]{1,255})\'|“([^”\\n]{1,255})”|„([^“”\\n]{1,255})[“”]|«([^»\\n]{1,255})»|`([^`\\n]{1,255})`/':
    'at most 255 characters behind each quote',
  'src/http/openapi-errors.ts /([^/{}]+)\\/\\{/': 'a path of our own document',
  'src/platform/config.ts /\\/+$/': "the operator's own BASE_URL",
  'src/platform/database/postgres-cluster.ts /(\\d+)[\\d.]*$/': 'the version that PostgreSQL prints',
  'src/pricing/price-http.ts /\\/+$/': "the operator's own URL",
};

/** The largest growth of the steps for twice the input; quadratic growth would be 4. */
const GROWTH_MAX = 3;

/** Expressions of known growth: exponential, quadratic, linear. */
const KNOWN: readonly (readonly [source: string, growth: number])[] = [
  ['^(a+)+$', 1e9],
  ['(?:a|b)+$', 4],
  ['\\s*=\\s*$', 4],
  ['^\\d{1,3}(,\\d{3})*$', 2],
  ['^[0-9a-f]{64}$', 2],
];

describe('regular expressions', () => {
  const script = new URL('./measure-expressions.ts', import.meta.url).pathname;
  const flags = ['--no-warnings', '--allow-natives-syntax', '--regexp-interpret-all'];
  const output = execFileSync(process.execPath, [...flags, script, ...KNOWN.map(([source]) => source)]);
  const measured: Measured[] = JSON.parse(output.toString());
  const known = measured.slice(0, KNOWN.length);
  const all = measured.slice(KNOWN.length);

  it.each(KNOWN.map(([source, growth], index) => [source, growth, index] as const))(
    'are measured: /%s/ costs about %d times as much at twice the length',
    (_source, growth, index) => {
      expect(Math.abs((known[index]?.growth ?? 0) - growth)).toBeLessThan(0.9);
    },
  );

  it('are all found', () => {
    expect(all.length).toBeGreaterThan(30);
  });

  it('of the sources backtrack at most linearly in their input [N-174]', () => {
    const slow = all
      .filter(({ path, source, growth }) => growth > GROWTH_MAX && BOUNDED[`${path} /${source}/`] === undefined)
      .map(({ path, line, source, growth }) => `${path}:${line} /${source}/ grows ${growth.toFixed(1)} times`);
    expect(slow).toEqual([]);
  });

  it('that are exempt exist in the listed files', () => {
    const standing = new Set(all.map(({ path, source }) => `${path} /${source}/`));
    expect(Object.keys(BOUNDED).filter((name) => !standing.has(name))).toEqual([]);
  });
});
