import { sql, type SqlText } from '../../platform/sql/sql.js';

/** The columns that tell how far an order is. */
interface PaymentProgress {
  readonly signedAt: SqlText;
  readonly waitingReason: SqlText;
  readonly txHash: SqlText;
}

/** Returns the standing (`Standing`) of an open order. */
export const standingOf = ({ signedAt, waitingReason, txHash }: PaymentProgress) => sql`
  case when ${signedAt} is null then coalesce(${waitingReason}, 'not_looked_at')
       when ${txHash} is null then 'not_sent' else 'not_final' end`;
