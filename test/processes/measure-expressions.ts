/**
 * Measures the regular expressions of the sources and those in the arguments, and prints them as JSON. Run in a
 * separate process with `--allow-natives-syntax --regexp-interpret-all`: compiled code backtracks in different numbers of
 * steps, and the compiled expressions depend on earlier code.
 */
import { globSync, readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';
import ts from 'typescript';

const root = new URL('../../', import.meta.url);

/** A regular expression of the sources, and the growth of its cost for an attack of twice the length. */
export interface Measured extends Found {
  readonly growth: number;
}

interface Found {
  readonly path: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

const LENGTHS = [60, 120] as const;
const STEPS_MAX = 2 ** 20;

/** V8's own matcher, which returns null after a limit of backtracking steps. */
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
 * Puts every repeated character into a group, because V8 does not count backtracking over a bare character, and that
 * number is measured here.
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

/** The most backtracking steps of any of these texts until the expression has failed or matched. */
function stepsIn({ source, flags }: Pick<Found, 'source' | 'flags'>, texts: readonly string[]): number {
  // The second alternative always matches at the end: without a match, the limit was reached.
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
    // To a hundredth: only the growth matters.
    while (most - least > Math.max(1, most / 100)) {
      const middle = Math.floor((least + most) / 2);
      if (suffices(middle, text)) most = middle;
      else least = middle;
    }
  }
  return most;
}

/** Texts that an attacker would try: repeated characters of the expression, and then one that does not match. */
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

/** The worst growth of the cost for an attack of twice the length. */
function growthOf(found: Pick<Found, 'source' | 'flags'>): number {
  const [short = 1, long = 1] = LENGTHS.map((length) => stepsIn(found, attacks(found.source, length)));
  return long === Infinity ? Infinity : long / short;
}

const paths = globSync('src/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.spec.ts'));
const given = process.argv.slice(2).map((source) => ({ path: '', line: 0, source, flags: '' }));
const measured = [...given, ...paths.flatMap(expressionsOf)].map((found) => ({ ...found, growth: growthOf(found) }));
// JSON has no infinity.
process.stdout.write(JSON.stringify(measured.map((one) => ({ ...one, growth: Math.min(one.growth, 1e9) }))));
