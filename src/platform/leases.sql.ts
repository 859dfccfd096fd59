import { Lease } from './lease.entity.js';
import { given, unnest } from './sql/given.js';
import { all, cte, define } from './sql/relation.js';
import { sql, type SqlText } from './sql/sql.js';
import { columns, out, set, table } from './sql/table.js';

const lease = table(Lease);
const holding = given('holding', { name: 'text', epoch: 'bigint' });
const wish = given('wish', { name: 'text' });

/** A lease with its fencing token. */
export interface HeldLease {
  readonly name: string;
  readonly epoch: number;
}

/** A process, the leases that it holds, and the names of those that it wants. */
export interface LeaseRound {
  readonly holder: string;
  readonly held: readonly HeldLease[];
  readonly wanted: readonly string[];
  readonly ttlMs: number;
}

/** Locks a lease against a take-over if this is its epoch. */
export const lockLease = ({ name, epoch }: HeldLease) => sql`
  select from ${lease} where ${lease.name} = ${name} and ${lease.epoch} = ${epoch} for key share`;

const afterTtl = (ttlMs: number): SqlText => sql`clock_timestamp() + ${ttlMs}::int * interval '1 millisecond'`;

/**
 * Renews the leases that a process holds and takes those that it wants and can have; returns both. Only a take-over changes
 * the epoch; it skips a row that a leader's open transaction locks, until the next round. A lease that this process holds
 * without knowing it (an answer was lost, or it resigned) is taken over like any other.
 */
export function renewAndTake({ holder, held, wanted, ttlMs }: LeaseRound) {
  const expiresAt = afterTtl(ttlMs);
  const renewed = cte(
    'renewed',
    sql`update ${lease} set ${set(lease, { expiresAt })} from ${unnest(holding, held)}
         where ${lease.name} = ${holding.name} and ${lease.epoch} = ${holding.epoch} and ${lease.holder} = ${holder}
        returning ${out(lease, 'name', 'epoch')}`,
  );
  const vacant = cte(
    'vacant',
    sql`select ${out(lease, 'name')} from ${lease}
         where ${lease.name} = any(${wanted}::text[]) and (${lease.holder} = ${holder} or ${lease.expiresAt} <= clock_timestamp())
           for update skip locked`,
  );
  const taken = cte(
    'taken',
    sql`update ${lease} set ${set(lease, { holder, epoch: sql`${lease.epoch} + 1`, expiresAt })}
          from ${vacant} where ${lease.name} = ${vacant.name}
        returning ${out(lease, 'name', 'epoch')}`,
  );
  const wishes = wanted.map((name) => ({ name }));
  const founded = cte(
    'founded',
    sql`insert into ${lease} ${columns(lease, 'name', 'holder', 'epoch', 'expiresAt')}
        select ${wish.name}, ${holder}, 1, ${expiresAt} from ${unnest(wish, wishes)}
         where not exists (select from ${lease} where ${lease.name} = ${wish.name})
        on conflict ${columns(lease, 'name')} do nothing
        returning ${out(lease, 'name', 'epoch')}`,
  );
  return sql`
    with ${define(renewed)}, ${define(vacant)}, ${define(taken)}, ${define(founded)}
    select ${all(renewed)} from ${renewed} union all select ${all(taken)} from ${taken}
     union all select ${all(founded)} from ${founded}`;
}

/** Ends the leases of a process now. */
export const resignLeases = (holder: string) => sql`
  update ${lease} set ${set(lease, { expiresAt: sql`clock_timestamp()` })}
   where ${lease.holder} = ${holder} and ${lease.expiresAt} > clock_timestamp()`;
