import type { Standing, WaitingReason } from '../../domain/outgoing-payment.js';
import { as } from '../../platform/sql/as.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import type { Column } from '../../platform/sql/table.js';

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

/** The standings of orders that wait for one of these reasons. */
type StandingWith<Reason extends string> = Reason | Exclude<Standing, WaitingReason>;

/** A table of orders that wait for one of these reasons. */
interface Orders<Reason extends string> extends SqlText, PaymentProgress {
  readonly status: SqlText;
  readonly waitingReason: Column<Reason | null>;
}

/** Counts the open orders by their standing, those that wait longest first. */
export const countStandings = <Reason extends string>(orders: Orders<Reason>, waitingSince: SqlText) => sql`
  select ${standingOf(orders)} ${as.textOf<StandingWith<Reason>>()('standing')}, count(*)::int ${as.int('count')},
         max(extract(epoch from clock_timestamp() - ${waitingSince}))::int ${as.int('oldest')}
    from ${orders} where ${orders.status} = 'broadcasting' group by 1 order by 3 desc`;
