import { sql, type SqlText } from '../../platform/sql/sql.js';

/** The columns of a balance that add up to what its address holds. */
interface BalanceSums {
  readonly received: SqlText;
  readonly funded: SqlText;
  readonly swept: SqlText;
  readonly burned: SqlText;
}

/** What an address holds by the books, in smallest units: an index has the balances in this order. */
export const heldOf = ({ received, funded, swept, burned }: BalanceSums): SqlText =>
  sql`${received} + ${funded} - ${swept} - ${burned}`;
