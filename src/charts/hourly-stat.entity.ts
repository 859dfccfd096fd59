import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../domain/network.js';
import { UnitsType } from '../platform/database/columns.js';

/** The figures that are kept of each hour. */
export const STAT_NAMES = [
  'settled_cents',
  'intents_created',
  'intents_completed',
  'intents_failed',
  'intents_expired',
  'intents_cancelled',
  'attempts_delivered',
  'attempts_failed',
] as const;
export type StatName = (typeof STAT_NAMES)[number];

const HourlyStatSchema = defineEntity({
  name: 'HourlyStat',
  tableName: 'hourly_stat',
  properties: {
    environment: p.text().$type<Environment>().primary(),
    hour: p.datetime(3).primary(),
    name: p.text().$type<StatName>().primary(),
    value: p.type(UnitsType),
  },
});

/** A figure of a closed hour. Money is in fiat minor units. */
export class HourlyStat extends HourlyStatSchema.class {}
HourlyStatSchema.setClass(HourlyStat);
