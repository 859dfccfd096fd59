import type { EntityManager } from '@mikro-orm/postgresql';
import type { Environment } from '../domain/network.js';
import type { BrokenRule, Finding } from './check.js';
import { environmentOf } from './finding-place.js';

/** A broken rule as the staff of one environment see it. */
export interface ShownRule {
  readonly check: string;
  /** The rows of the environment, and those that are about all books. */
  readonly named: readonly Finding[];
  /** Whether further rows break it, which the audit counted without naming them: of this environment or of the other. */
  readonly hasUnnamed: boolean;
}

/**
 * Returns the broken rules without the rows of the other environment. A rule with rows that are not named stays: they may be
 * of this environment.
 */
export async function shownRules(
  em: EntityManager,
  environment: Environment,
  broken: readonly BrokenRule[],
): Promise<readonly ShownRule[]> {
  const shown: ShownRule[] = [];
  for (const { check, count, named } of broken) {
    const own: Finding[] = [];
    for (const finding of named) {
      const place = await environmentOf(em, { check, row: finding.row });
      if (place === null || place === environment) own.push(finding);
    }
    const hasUnnamed = count > named.length;
    if (own.length > 0 || hasUnnamed) shown.push({ check, named: own, hasUnnamed });
  }
  return shown;
}
