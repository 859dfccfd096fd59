import type { CheckedRule } from './books-verification.js';
import type { BrokenRule, Finding } from './check.js';

/** A breach that no earlier audit has reported. */
export interface NewFinding extends Finding {
  readonly check: string;
}

/** Returns the broken rules, with the results of the same rule merged: an audit has one count per rule. */
export function brokenOf(rules: readonly CheckedRule[]): BrokenRule[] {
  return [...Map.groupBy(rules, ({ name }) => name)].flatMap(([check, sides]) => {
    const named = sides.flatMap(({ finding, further }) => (finding === null ? [] : [finding, ...further]));
    return named.length === 0 ? [] : [{ check, count: sumOf(sides), named }];
  });
}

/** Returns the findings that earlier audits did not report, or that are worse than before. */
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
  // Only the first of many breaches are named: a further one shows only in the count.
  const hasGrown = news.length === 0 && count > most;
  return hasGrown ? [{ check, row: `${count} rows`, says: 'break it' }] : news;
}

const sumOf = (rules: readonly { readonly count: number }[]): number =>
  rules.reduce((sum, { count }) => sum + count, 0);

/**
 * Returns whether the known finding includes the new one: the same row with the same text, or with no larger gap. So a text
 * is never reworded: after an upgrade it would be a new finding, which freezes the hot wallets again.
 */
function covers(known: Finding, found: Finding): boolean {
  if (known.row !== found.row) return false;
  const [before, now] = [unitsOf(known), unitsOf(found)];
  if (before === null || now === null) return known.says === found.says;
  return before < 0n ? now <= 0n && now >= before : now >= 0n && now <= before;
}

/** Returns null without a gap, and for a gap that is not a number: PostgreSQL also accepts NaN as an amount. */
const unitsOf = ({ gap }: Finding): bigint | null => (gap !== undefined && /^-?\d+$/.test(gap) ? BigInt(gap) : null);
