import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { columns, out, set, table, values } from '../platform/sql/table.js';
import { SignInFailure } from './sign-in-failure.entity.js';

const failure = table(SignInFailure);

/** Failures older than this no longer count, in minutes; also the longest block. */
const WINDOW = sql`interval '15 minutes'`;

/** How many failures are free, and after how many seconds the next try may follow; it doubles with each further failure. */
export interface TryLimit {
  readonly free: number;
  readonly firstBlockSeconds: number;
}

/**
 * Counts a try as a failure before its outcome is known, so that tries at the same time cannot all be free. Returns no row
 * while the key is blocked.
 */
export function takeTry(keyHash: string, { free, firstBlockSeconds }: TryLimit) {
  const known = sql`case when ${failure.lastAt} < clock_timestamp() - ${WINDOW} then 0 else ${failure.failures} end`;
  const further = sql`least(10, ${known} + 1 - ${free}::int)`;
  const block = sql`least(${WINDOW}, interval '1 second' * ${firstBlockSeconds}::int * power(2, ${further}))`;
  return sql`
    insert into ${failure} ${values(failure, { keyHash, failures: 1, lastAt: sql`clock_timestamp()`, blockedUntil: null })}
        on conflict ${columns(failure, 'keyHash')} do update
       set ${set(failure, {
         failures: sql`${known} + 1`,
         lastAt: sql`clock_timestamp()`,
         blockedUntil: sql`case when ${known} + 1 >= ${free}::int then clock_timestamp() + ${block} end`,
       })}
     where ${failure.blockedUntil} is null or ${failure.blockedUntil} <= clock_timestamp()
    returning ${out(failure, 'failures')}`;
}

/** How many seconds a key stays blocked. */
export const blockOf = (keyHash: string) => sql`
  select ceil(extract(epoch from ${failure.blockedUntil} - clock_timestamp()))::int ${as.int('seconds')}
    from ${failure} where ${failure.keyHash} = ${keyHash} and ${failure.blockedUntil} is not null`;

/** Takes a counted try back, which was no failure. */
export const returnTry = (keyHash: string) => sql`
  update ${failure} set ${set(failure, { failures: sql`greatest(0, ${failure.failures} - 1)`, blockedUntil: null })}
   where ${failure.keyHash} = ${keyHash}`;

/** Forgets the failures of a key. */
export const forgetTries = (keyHash: string) => sql`delete from ${failure} where ${failure.keyHash} = ${keyHash}`;

/** Deletes counts that no longer matter. */
export const deleteOldTries = (limit: number) => sql`
  delete from ${failure}
   where ${failure.keyHash} in (
     select ${failure.keyHash} from ${failure}
      where ${failure.lastAt} < clock_timestamp() - interval '1 hour' limit ${limit}
        for update skip locked)
  returning ${out(failure, 'keyHash')}`;
