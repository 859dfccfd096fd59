import { Merchant } from '../auth/merchant.entity.js';
import { as } from '../platform/sql/as.js';
import { sql, type SqlText } from '../platform/sql/sql.js';
import { table } from '../platform/sql/table.js';
import type { Environment } from '../domain/network.js';
import type { HitKind, MatchKind } from './search-hit.js';

const merchant = table(Merchant, 'owner');

/** The columns that a hit has from its table; those that it lacks are null. */
interface HitColumns {
  readonly id: SqlText;
  readonly environment: SqlText;
  readonly merchantId: SqlText;
  readonly createdAt: SqlText;
  /** The key of the candidate that it was found by. */
  readonly key: SqlText;
  readonly state?: SqlText;
  readonly network?: SqlText;
  readonly token?: SqlText;
  readonly amount?: SqlText;
  readonly decimals?: SqlText;
  readonly relatedId?: SqlText;
  readonly deliveryIds?: SqlText;
}

/** Returns a statement that selects hits of one kind, found by one kind of identifier. `from` is all that follows FROM. */
export function hits(kind: HitKind, by: MatchKind, columns: HitColumns, from: SqlText) {
  const { id, environment, merchantId, createdAt, key } = columns;
  const none = sql`null::text`;
  return sql`
    select ${kind}::text ${as.textOf<HitKind>()('kind')}, ${by}::text ${as.textOf<MatchKind>()('by')},
           ${key} ${as.text('key')}, ${id} ${as.text('id')}, ${environment} ${as.textOf<Environment>()('environment')},
           ${merchantId} ${as.textOrNull('merchantId')},
           (select ${merchant.name} from ${merchant} where ${merchant.id} = ${merchantId}) ${as.textOrNull('merchantName')},
           ${columns.state ?? none} ${as.textOrNull('state')}, ${columns.network ?? none} ${as.textOrNull('network')},
           ${columns.token ?? none} ${as.textOrNull('token')}, ${columns.amount ?? none} ${as.textOrNull('amount')},
           ${columns.decimals ?? sql`null::int`} ${as.intOrNull('decimals')},
           ${columns.relatedId ?? none} ${as.textOrNull('relatedId')},
           ${columns.deliveryIds ?? sql`array[]::text[]`} ${as.texts('deliveryIds')},
           ${createdAt} ${as.time('createdAt')}
      from ${from}`;
}
