import { as } from '../platform/sql/as.js';
import { define, subselect } from '../platform/sql/relation.js';
import { sql, type Statement } from '../platform/sql/sql.js';

/** A statement that finds the rows that break a rule, by the columns of a `Finding`: it may select a `gap` too. */
export type BreachStatement = Statement<Readonly<Record<'row' | 'says', string>>>;

/** Returns the first rows of a statement that finds breaches, each with the number of all. */
export function firstBreaches(statement: BreachStatement, limit: number) {
  const found = subselect('found', statement);
  return sql`
    select ${found.row.as('row')}, ${found.says.as('says')}, to_jsonb(${found}) ->> 'gap' ${as.textOrNull('gap')},
           count(*) over () ${as.digits('count')}
      from ${define(found)} limit ${limit}`;
}

/**
 * Plans without nested loops until `allowNestedLoops`: whole tables are compared. With old statistics, a nested loop looks
 * cheap but takes quadratic time.
 */
export const forbidNestedLoops = sql`set local enable_nestloop = off`;

/** Plans with nested loops again: pages of rows are read by index. */
export const allowNestedLoops = sql`set local enable_nestloop = on`;
