import { as } from '../sql/as.js';
import { join, literal, sql, type Statement } from '../sql/sql.js';

/** Returns the places of the statements that find a row. */
export const whichFind = (statements: readonly Statement<unknown>[]) => sql`
  select found.place ${as.int('place')}
    from (${join(
      statements.map((statement, place) => sql`select ${literal(place)} as place where exists (${statement})`),
      ' union all ',
    )}) found`;
