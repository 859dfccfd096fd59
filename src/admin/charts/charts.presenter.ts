import type { DailyFigures } from '../../charts/daily-figures.service.js';
import type { StatName } from '../../charts/hourly-stat.entity.js';
import type { ChartsObject } from './charts.schema.js';

/** The figures of a day. */
export function presentDay({ day, figures }: DailyFigures): ChartsObject['days'][number] {
  const valueOf = (name: StatName): number => Number(figures.get(name) ?? 0n);
  return {
    id: day,
    settled_cents: valueOf('settled_cents'),
    intents_created: valueOf('intents_created'),
    intents_completed: valueOf('intents_completed'),
    intents_failed: valueOf('intents_failed'),
    intents_expired: valueOf('intents_expired'),
    intents_cancelled: valueOf('intents_cancelled'),
    attempts_delivered: valueOf('attempts_delivered'),
    attempts_failed: valueOf('attempts_failed'),
  };
}
