import { as } from '../platform/sql/as.js';
import { cte, define } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { out, set, type Table, table, values } from '../platform/sql/table.js';
import { RateBucket } from './rate-bucket.entity.js';

/** Token buckets, each by the id of what it limits. */
export type Buckets = Table<RateBucket>;

/** Those of API keys. */
export const keyBuckets: Buckets = table(RateBucket);

/** What a process returns to a bucket, and what it takes. */
export interface Draw {
  readonly holderId: string;
  readonly perSecond: number;
  readonly burst: number;
  readonly returned: number;
  readonly wanted: number;
}

/** Opens a bucket with these tokens, unless there is one. */
export const openBucket = (bucket: Buckets, holderId: string, tokens: number) => sql`
  insert into ${bucket} ${values(bucket, { holderId, tokens, refilledAt: sql`clock_timestamp()` })} on conflict do nothing`;

/**
 * Refills a bucket and takes whole tokens from it. A statement that waited for the row may have an older time than the row:
 * then no time has passed, so that no time counts twice.
 */
export function drawTokens(bucket: Buckets, { holderId, perSecond, burst, returned, wanted }: Draw) {
  const passed = sql`greatest(0, extract(epoch from clock.moment - ${bucket.refilledAt})::float8)`;
  const refilled = cte(
    'refilled',
    sql`
      select ${out(bucket, 'holderId')}, greatest(clock.moment, ${bucket.refilledAt}) ${as.time('moment')},
             least(${burst}::float8, ${bucket.tokens} + ${returned}::float8 + ${perSecond}::float8 * ${passed}) ${as.double('available')}
        from ${bucket}, (select clock_timestamp() as moment) clock
       where ${bucket.holderId} = ${holderId}
         for update of ${bucket}`,
  );
  const taken = cte(
    'taken',
    sql`
      select ${refilled.holderId.as('holderId')}, ${refilled.moment.as('moment')}, ${refilled.available.as('available')},
             least(${wanted}::float8, floor(${refilled.available})) ${as.double('granted')}
        from ${refilled}`,
  );
  return sql`
    with ${define(refilled)}, ${define(taken)}
    update ${bucket}
       set ${set(bucket, { tokens: sql`${taken.available} - ${taken.granted}`, refilledAt: taken.moment })}
      from ${taken}
     where ${bucket.holderId} = ${taken.holderId}
    returning ${taken.granted.as('granted')}, ${bucket.tokens.as('left')}`;
}
