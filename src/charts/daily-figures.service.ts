import { Injectable } from '@nestjs/common';
import type { Environment } from '../domain/network.js';
import { Database } from '../platform/database/database.js';
import { STAT_NAMES, type StatName } from './hourly-stat.entity.js';
import { figuresByDay, lastHour } from './hourly-stats.sql.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The sums of the closed hours of a day. */
export interface DailyFigures {
  /** `2026-11-29`, in UTC. */
  readonly day: string;
  readonly figures: ReadonlyMap<StatName, bigint>;
}

/** The days of a chart. */
export interface Chart {
  /** The oldest first, without gaps; the last one is today. */
  readonly days: readonly DailyFigures[];
  /** Up to when hours are filled; null before the first one. */
  readonly until: Date | null;
}

/** Reads the figures of the last days, for staff. */
@Injectable()
export class DailyFiguresReader {
  constructor(private readonly database: Database) {}

  async of(environment: Environment, count: number): Promise<Chart> {
    const [last] = await this.database.rows(lastHour);
    const today = Math.floor(new Date(last?.now ?? 0).getTime() / DAY_MS) * DAY_MS;
    const first = today - (count - 1) * DAY_MS;
    const found = await this.database.rows(figuresByDay(environment, new Date(first)));
    const values = new Map(found.map(({ day, name, value }) => [`${day} ${name}`, BigInt(value)]));
    const days = Array.from({ length: count }, (_, place) => {
      const day = new Date(first + place * DAY_MS).toISOString().slice(0, 10);
      return { day, figures: new Map(STAT_NAMES.map((name) => [name, values.get(`${day} ${name}`) ?? 0n])) };
    });
    const hour = last?.hour ?? null;
    return { days, until: hour === null ? null : new Date(new Date(hour).getTime() + HOUR_MS) };
  }
}
