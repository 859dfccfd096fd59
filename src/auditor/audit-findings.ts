import type { CheckedRule } from './books-verification.js';
import type { BrokenRule, Finding } from './check.js';

/** A breach that no audit has named before. */
export interface NewFinding extends Finding {
  readonly check: string;
}

/** What of these rules is broken, each once, though it was looked at from several sides: an audit has one count of a rule. */
export function brokenOf(rules: readonly CheckedRule[]): BrokenRule[] {
  return [...Map.groupBy(rules, ({ name }) => name)].flatMap(([check, sides]) => {
    const named = sides.flatMap(({ finding, further }) => (finding === null ? [] : [finding, ...further]));
    return named.length === 0 ? [] : [{ check, count: sumOf(sides), named }];
  });
}

/** What is broken and was not, or is worse than it was, by the audits before. */
export function newFindingsOf(broken: readonly BrokenRule[], known: readonly BrokenRule[]): NewFinding[] {
  const checks = new Set(broken.map(({ check }) => check));
  return [...checks].flatMap((check) => {
    const [now, before] = [broken, known].map((rules) => rules.filter((rule) => rule.check === check));
    return newFindingsOfRule(check, now ?? [], before ?? []);
  });
}

function newFindingsOfRule(check: string, now: readonly BrokenRule[], before: readonly BrokenRule[]): NewFinding[] {
  const known = before.flatMap(({ named }) => named);
  const found = now.flatMap(({ named }) => named).filter((finding) => !known.some((each) => covers(each, finding)));
  const news = found.map((finding) => ({ check, ...finding }));
  const [count, most] = [sumOf(now), Math.max(0, ...before.map((rule) => rule.count))];
  // Of many breaches only the first are named: one more of them shows in their number alone.
  const hasGrown = news.length === 0 && count > most;
  return hasGrown ? [{ check, row: `${count} rows`, says: 'break it' }] : news;
}

const sumOf = (rules: readonly { readonly count: number }[]): number =>
  rules.reduce((sum, { count }) => sum + count, 0);

/** Whether who knows the one finding learns nothing by the other: of the same row the same, or no more of it. */
function covers(known: Finding, found: Finding): boolean {
  if (known.row !== found.row) return false;
  const [before, now] = [unitsOf(known), unitsOf(found)];
  if (before === null || now === null) return known.says === found.says;
  return before < 0n ? now <= 0n && now >= before : now >= 0n && now <= before;
}

/** Null without a gap, and where it is no number: PostgreSQL takes NaN for an amount as well. */
const unitsOf = ({ gap }: Finding): bigint | null => (gap !== undefined && /^-?\d+$/.test(gap) ? BigInt(gap) : null);
