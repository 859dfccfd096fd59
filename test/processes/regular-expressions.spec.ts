import { globSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { compileFunction } from 'node:vm';
import ts from 'typescript';

const root = new URL('../../', import.meta.url);

/** A regular expression that stands in the sources. */
interface Found {
  readonly path: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** Expressions whose steps may grow faster than their input, because that input is short or comes from the operator. */
const BOUNDED: Readonly<Record<string, string>> = {
  'src/cli/api-client.ts /\\/+$/': "the operator's own URL",
  'src/domain/money.ts /0+$/': 'a fraction of as many digits as a token has decimals',
  'src/http/openapi-errors.ts /([^/{}]+)\\/\\{/': 'a path of our own document',
  'src/platform/config.ts /\\/+$/': "the operator's own BASE_URL",
  'src/platform/database/postgres-cluster.ts /(\\d+)[\\d.]*$/': 'the version that PostgreSQL tells of itself',
  'src/pricing/price-http.ts /\\/+$/': "the operator's own URL",
};

const LENGTHS = [60, 120] as const;
/** Twice the input may cost so many times the steps; a square would cost four times as many. */
const GROWTH_MAX = 3;
const STEPS_MAX = 2 ** 20;

setFlagsFromString('--allow-natives-syntax');
/** V8's own matcher, which gives up (null) once it has gone back so many times. */
const limited = compileFunction('return %NewRegExpWithBacktrackLimit(source, flags, limit)', [
  'source',
  'flags',
  'limit',
]) as (source: string, flags: string, limit: number) => RegExp;

function expressionsOf(path: string): Found[] {
  const file = ts.createSourceFile(path, readFileSync(new URL(path, root), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      const end = node.text.lastIndexOf('/');
      found.push({ path, line: line + 1, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const TOKENS =
  /\\(?:[pPu]\{[^}]*\}|u[0-9a-f]{4}|x[0-9a-f]{2}|k<\w+>|[^])|\[(?:\\[^]|[^\]\\])*\]|\(\?(?:<?[=!:]|<\w+>)|[^]/gi;
const QUANTIFIER = /^[*+?{]$/;
const NO_ATOM = /^(\(|\)|\||\^|\$|\\[bB])/;

/**
 * Puts every repeated character into a group. V8 repeats a bare character without counting the ways back, and what is
 * measured here is the number of ways.
 */
function countable(source: string): string {
  const tokens = source.match(TOKENS) ?? [];
  return tokens
    .map((token, place) => {
      const isRepeated = QUANTIFIER.test(tokens[place + 1] ?? '') && !QUANTIFIER.test(token) && !NO_ATOM.test(token);
      return isRepeated && token !== '}' ? `(${token})` : token;
    })
    .join('');
}

/** The most steps back that any of these texts costs until the expression has failed or matched. */
function stepsIn({ source, flags }: Pick<Found, 'source' | 'flags'>, texts: readonly string[]): number {
  // The second way always matches, at the very end: without a match, the limit was reached.
  const always = `(?:${countable(source)})|(?![^])`;
  const expressions = new Map<number, RegExp>();
  const suffices = (limit: number, text: string): boolean => {
    const expression = expressions.get(limit) ?? limited(always, flags.replaceAll(/[gy]/g, ''), limit);
    expressions.set(limit, expression);
    return expression.exec(text) !== null;
  };
  let most = 1;
  for (const text of texts) {
    let least = most;
    while (!suffices(most, text)) {
      if (most >= STEPS_MAX) return Infinity;
      least = most;
      most *= 2;
    }
    // To a hundredth: what is asked is how fast the number grows.
    while (most - least > Math.max(1, most / 100)) {
      const middle = Math.floor((least + most) / 2);
      if (suffices(middle, text)) most = middle;
      else least = middle;
    }
  }
  return most;
}

/** Texts of a length that an attacker would try: what the expression itself speaks of, again and again, and then a fault. */
function attacks(source: string, length: number): string[] {
  const literal = source.replaceAll(/\\[a-zA-Z]|\(\?<?[=!:]?|\{\d+,?\d*\}/g, ' ');
  const letters = literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, '').split('');
  const spoken = [...new Set([...letters, 'a', '0', ' ', '.', '/', '\n', '"'])];
  const pairs = spoken.flatMap((one) => spoken.slice(0, 4).map((other) => one + other));
  const starts = ['', ...(source.match(/[\w:/"]{2,}/g) ?? []).slice(0, 3)];
  return [...spoken, ...pairs].flatMap((unit) =>
    starts.map((start) => `${start}${unit.repeat(Math.ceil(length / unit.length))}\u0001`),
  );
}

/** How much more an attack of twice the length costs, at the worst. */
function growthOf(found: Pick<Found, 'source' | 'flags'>): number {
  const [short = 1, long = 1] = LENGTHS.map((length) => stepsIn(found, attacks(found.source, length)));
  return long === Infinity ? Infinity : long / short;
}

describe('regular expressions', () => {
  const paths = globSync('src/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.spec.ts'));
  const all = paths.flatMap(expressionsOf);

  it.each([
    ['^(a+)+$', Infinity],
    ['(?:a|b)+$', 4],
    ['\\s*=\\s*$', 4],
    ['^\\d{1,3}(,\\d{3})*$', 2],
    ['^[0-9a-f]{64}$', 2],
  ])('are measured: /%s/ costs about %d times as much at twice the length', (source, growth) => {
    const measured = growthOf({ source, flags: '' });
    if (growth === Infinity) expect(measured).toBe(Infinity);
    else expect(Math.abs(measured - growth)).toBeLessThan(0.9);
  });

  it('are all found', () => {
    expect(all.length).toBeGreaterThan(30);
  });

  it('of the sources go back no more often than in proportion to their input, whatever it is [N-174]', () => {
    const slow = all
      .filter(({ path, source }) => BOUNDED[`${path} /${source}/`] === undefined)
      .map((found) => ({ ...found, growth: growthOf(found) }))
      .filter(({ growth }) => growth > GROWTH_MAX)
      .map(({ path, line, source, growth }) => `${path}:${line} /${source}/ grows ${growth.toFixed(1)} times`);
    expect(slow).toEqual([]);
  });

  it('that are excused stand where they are said to stand', () => {
    const standing = new Set(all.map(({ path, source }) => `${path} /${source}/`));
    expect(Object.keys(BOUNDED).filter((name) => !standing.has(name))).toEqual([]);
  });
});
