import { as } from '../../../platform/sql/as.js';
import { sql } from '../../../platform/sql/sql.js';
import { out, set, table } from '../../../platform/sql/table.js';
import { PoolAddress } from '../../addresses/pool-address.entity.js';
import { Deposit } from '../../deposits/deposit.entity.js';
import { hasNodesEnough } from '../second-node-rule.sql.js';

const deposit = table(Deposit);
const address = table(PoolAddress);

/** Finds the intents of addresses (keys). */
export const intentsOfAddresses = (keys: readonly string[]) => sql`
  select ${address.intentId.asNotNull('intentId')} from ${address}
   where ${address.addressKey} = any(${keys}) and ${address.intentId} is not null`;

/** A place in the order of `seenUpTo`. */
export interface SeenPlace {
  readonly height: number;
  readonly id: string;
}

/** Reads deposits that are not final, with a block up to a height, the lowest first, after a place. */
export const seenUpTo = (chainRef: string, height: number, after: SeenPlace, limit: number) => sql`
  select ${out(deposit, 'id', 'blockHash', 'intentId', 'position')}, ${deposit.txHash.asNotNull('txHash')},
         ${deposit.account.asNotNull('account')}, ${deposit.blockHeight}::float8 ${as.double('height')}
    from ${deposit}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'seen' and ${deposit.blockHeight} <= ${height}
     and (${deposit.blockHeight}, ${deposit.id}) > (${after.height}, ${after.id})
   order by ${deposit.blockHeight}, ${deposit.id} limit ${limit}`;

/** Makes deposits final, as far as enough nodes have reported them. */
export const confirmDeposits = (chainRef: string, ids: readonly string[], secondNodeAboveCents: number | null) => sql`
  update ${deposit} set ${set(deposit, { status: 'confirmed', confirmedAt: sql`now()` })}
   where ${deposit.id} = any(${ids}) and ${deposit.status} = 'seen' and ${hasNodesEnough(chainRef, secondNodeAboveCents)}
  returning ${out(deposit, 'intentId')}`;

/** Orphans deposits that are not final. */
export const orphanDeposits = (ids: readonly string[]) => sql`
  update ${deposit} set ${set(deposit, { status: 'orphaned' })}
   where ${deposit.id} = any(${ids}) and ${deposit.status} = 'seen'
  returning ${out(deposit, 'intentId')}`;
