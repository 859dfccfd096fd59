import { sql, type SqlText } from '../../platform/sql/sql.js';

/** Whether a transaction is never mined although it was signed, so that its order may have another one. */
export const isNeverMined = ({ status }: { readonly status: SqlText }): SqlText =>
  sql`${status} in ('superseded', 'expired')`;
