import { randomInt } from 'node:crypto';
import type { Tx } from '../database/database.js';
import type { Cte } from './relation.js';
import { sql, type SqlText } from './sql.js';

/** The parts of a WITH that write. */
export interface WriteParts<Row = unknown> {
  /** All of them, in their order: each may read those before it. */
  readonly steps: readonly Cte<unknown>[];
  /** The one of them that returns one row if the write is made, and none otherwise. */
  readonly effect: Cte<Row>;
}

/** A write of one statement that is planned and has not run yet. */
export interface PlannedStatement<Presented extends object = object> {
  /** Returns the parts, which write nothing unless the condition holds. */
  readonly parts: (condition: SqlText) => WriteParts;
  /** Whether it may wait for a lock of another transaction. One that does not may share its connection. */
  readonly waits: boolean;
  /** The object as the API presents it. Values that the database will set are placeholders. */
  readonly presented: Presented;
  readonly values: DatabaseValues;
}

/** A write as its controller plans it. */
export interface PlannedWrite<Presented extends object = object> {
  /** The write as one statement; null if it needs a transaction. */
  readonly statement: PlannedStatement<Presented> | null;
  /** The write in a transaction: for a statement that wrote nothing, because the state has changed since it was planned. */
  readonly inTransaction?: (tx: Tx) => Promise<Presented>;
  /** Called once the statement has committed: for notifications whose loss is harmless, like `afterCommit`. */
  readonly committed?: () => void;
}

/** Whether a controller has returned a planned write. */
export const isPlannedWrite = (made: object): made is PlannedWrite => 'statement' in made;

/** Placeholders for times are of the years 128000 to 132460. */
const PLACEHOLDER_FROM = Date.UTC(128_000, 0);
const PLACEHOLDERS = 2 ** 47;

/**
 * Values of an object that is presented before the statement that makes it has run: the database's clock decides its times,
 * and other rows may decide more. A random placeholder, which no request can contain, takes the place of each.
 * `substituted` replaces them.
 */
export class DatabaseValues {
  private readonly replacements: { readonly placeholder: string; readonly value: SqlText }[] = [];

  /** Returns the placeholder of a time, such as `now()`. It is presented in milliseconds, like the columns and the API. */
  time(expression: SqlText): Date {
    const date = new Date(PLACEHOLDER_FROM + randomInt(PLACEHOLDERS));
    const value = sql`to_char((${expression})::timestamptz(3) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    this.replacements.push({ placeholder: date.toISOString(), value });
    return date;
  }

  /** Takes a random text as the placeholder of another one that needs no escapes in JSON, and returns it. */
  text(placeholder: string, value: SqlText): string {
    this.replacements.push({ placeholder, value });
    return placeholder;
  }

  /** Returns SQL for this JSON with the real values. */
  substituted(json: string): SqlText {
    return this.replacements.reduce<SqlText>(
      (text, { placeholder, value }) => sql`replace(${text}, ${placeholder}, ${value})`,
      sql`${json}::text`,
    );
  }
}
