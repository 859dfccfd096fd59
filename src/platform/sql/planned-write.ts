import { randomInt } from 'node:crypto';
import type { Tx } from '../database/database.js';
import type { Cte } from './relation.js';
import { sql, type SqlText } from './sql.js';

/** A statement that makes an object. Nothing has run yet. */
export interface PlannedStatement<Presented extends object = object> {
  /** Returns the part of a WITH that writes, and before it what it needs. It has one row if the condition holds. */
  readonly parts: (condition: SqlText) => readonly [effect: Cte<unknown>, ...needed: Cte<unknown>[]];
  /** The object as the API presents it. Its values of the database are stand-ins. */
  readonly presented: Presented;
  readonly values: DatabaseValues;
}

/** A write as its controller plans it. */
export interface PlannedWrite<Presented extends object = object> {
  /** The write as one statement; null if the state of the object asks for a transaction. */
  readonly statement: PlannedStatement<Presented> | null;
  /** The write in a transaction: for a statement that wrote nothing, because the state has changed since it was planned. */
  readonly inTransaction?: (tx: Tx) => Promise<Presented>;
  /** Called once the statement has committed. For hints only, like `afterCommit`. */
  readonly committed?: () => void;
}

/** Whether a controller has returned a planned write. */
export const isPlannedWrite = (made: object): made is PlannedWrite => 'statement' in made;

/** Stand-ins for times are of the years 128000 to 132460. */
const STAND_IN_FROM = Date.UTC(128_000, 0);
const STAND_INS = 2 ** 47;

/**
 * Values of an object that is presented before the statement that makes it has run: the database's clock decides its times,
 * and other rows may decide more. A random stand-in, which no request can contain, takes the place of each. `fill` replaces
 * them.
 */
export class DatabaseValues {
  private readonly replacements: { readonly standIn: string; readonly value: SqlText }[] = [];

  /** Returns the stand-in for a time, such as `now()`. It is presented in milliseconds, like the columns and the API. */
  time(expression: SqlText): Date {
    const date = new Date(STAND_IN_FROM + randomInt(STAND_INS));
    const value = sql`to_char((${expression})::timestamptz(3) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    this.replacements.push({ standIn: date.toISOString(), value });
    return date;
  }

  /** Takes a random text as the stand-in for another one that needs no escapes in JSON, and returns it. */
  text(standIn: string, value: SqlText): string {
    this.replacements.push({ standIn, value });
    return standIn;
  }

  /** Returns SQL for this JSON with the real values. */
  fill(json: string): SqlText {
    return this.replacements.reduce<SqlText>(
      (text, { standIn, value }) => sql`replace(${text}, ${standIn}, ${value})`,
      sql`${json}::text`,
    );
  }
}
