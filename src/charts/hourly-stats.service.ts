import { Injectable } from '@nestjs/common';
import { timeOfId } from '../domain/ids.js';
import { Database } from '../platform/database/database.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { fillHour, firstIntent, lastHour } from './hourly-stats.sql.js';

const HOUR_MS = 3_600_000;
/** What was made in an hour is committed by then, also by a process whose clock is late. */
const CLOSED_AFTER_MS = 300_000;
/** The hours of one run; the next run continues. */
const HOURS_MAX = 200;

/** Fills the figures of closed hours, so that charts read no payments. */
@Injectable()
export class HourlyStats {
  constructor(private readonly database: Database) {}

  /** Fills the hours that have closed since the last one, after a downtime too. Returns how many it filled. */
  @RecurringJob({ role: 'worker', every: 60_000, leader: 'scheduler', atOnce: true })
  async fill(): Promise<number> {
    const [last] = await this.database.rows(lastHour);
    if (last === undefined) return 0;
    const closed = hourOf(new Date(last.now).getTime() - CLOSED_AFTER_MS);
    const from = last.hour === null ? await this.beginning(closed) : new Date(last.hour).getTime() + HOUR_MS;
    let filled = 0;
    for (let hour = from; hour < closed && filled < HOURS_MAX; hour += HOUR_MS) {
      await this.database.rows(fillHour({ from: new Date(hour), to: new Date(hour + HOUR_MS) }));
      filled++;
    }
    return filled;
  }

  /** The hour of the first intent; that after the last closed one while there is none. */
  private async beginning(closed: number): Promise<number> {
    const [first] = await this.database.rows(firstIntent);
    return first === undefined ? closed : hourOf(timeOfId(first.id).getTime());
  }
}

const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS;
