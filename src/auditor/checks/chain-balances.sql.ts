import { type AddressFamily, type Environment, NATIVE_COIN } from '../../domain/network.js';
import { PoolAddress } from '../../payments/addresses/pool-address.entity.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { as } from '../../platform/sql/as.js';
import { json } from '../../platform/sql/json.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Funding } from '../../treasury/sweeps/funding/funding.entity.js';
import { SweepItem } from '../../treasury/sweeps/sweep-item.entity.js';
import { isOutOfBooks } from './booked-out.sql.js';

/** What limits the addresses and their deposits. */
interface AddressPage {
  readonly environment: Environment;
  readonly family: AddressFamily;
  readonly above: string;
  readonly limit: number;
  readonly chainRef: string;
  /** The block up to which deposits and sweeps count. */
  readonly height: number;
}

const pool = table(PoolAddress);
const deposit = table(Deposit);
const item = table(SweepItem, 'item');
const funding = table(Funding, 'funding');

/** Reads the next addresses above an id, each with its expected balances on the chain; null when it has no deposits there. */
export function nextAddresses({ environment, family, above, limit, chainRef, height }: AddressPage) {
  const address = subselect(
    'address',
    sql`select ${out(pool, 'id', 'addressKey')} from ${pool}
         where ${pool.environment} = ${environment} and ${pool.family} = ${family} and ${pool.id} > ${above}
         order by ${pool.id} limit ${limit}`,
  );
  const outOfBooks = isOutOfBooks(deposit);
  const brought = subselect(
    'brought',
    sql`select ${deposit.tokenContract} ${as.text('token')}, sum(${deposit.amount}) ${as.digits('known')},
               coalesce(sum(${deposit.amount}) filter (where ${deposit.status} = 'confirmed' and not ${outOfBooks}),
                        0) ${as.digits('final')}
          from ${deposit}
         where ${deposit.addressId} = ${address.id} and ${deposit.chainRef} = ${chainRef}
           and ${deposit.status} <> 'orphaned' and ${deposit.blockHeight} <= ${height}
           and not (${deposit.goneAt} is not null and ${outOfBooks})
         group by ${deposit.tokenContract}`,
  );
  const ownCoins = subselect(
    'own_coins',
    sql`select coalesce((select sum(${funding.arrived}) from ${funding}
                          where ${funding.addressId} = ${address.id} and ${funding.chainRef} = ${chainRef}
                            and ${funding.arrivedHeight} <= ${height}), 0) ${as.digits('funded')},
               coalesce((select sum(${item.burned}) from ${item}
                          where ${item.addressId} = ${address.id} and ${item.chainRef} = ${chainRef}
                            and ${item.burnedHeight} <= ${height}), 0) ${as.digits('burned')},
               exists (select from ${item}
                        where ${item.addressId} = ${address.id} and ${item.chainRef} = ${chainRef}
                          and ${item.costMax} is not null and ${item.swept} is null) ${as.boolean('isPaying')}`,
  );
  const taken = subselect(
    'taken',
    sql`select coalesce(sum(${item.swept}) filter (where ${item.sweptHeight} <= ${height}), 0) ${as.digits('swept')},
               coalesce(bool_or(${item.swept} is null), false) ${as.boolean('isMoving')}
          from ${item}
         where ${item.addressId} = ${address.id} and ${item.chainRef} = ${chainRef}
           and ${item.tokenContract} = ${brought.token}`,
  );
  const isCoin = sql`${brought.token} = ${NATIVE_COIN}`;
  const own = sql`case when ${isCoin} then ${ownCoins.funded} - ${ownCoins.burned} else 0 end`;
  const isMoving = sql`${taken.isMoving} or (${isCoin} and ${ownCoins.isPaying})`;
  const least = sql`case when ${isMoving} then 0 else ${brought.final} - ${taken.swept} + ${own} end`;
  const most = sql`${brought.known} - ${taken.swept} + ${own}`;
  // By token contract, after sweeps: the least (0 while a sweep is under way), and the most, which includes deposits that
  // only one node has reported.
  const expected = json.map(brought.token, json.tuple(json.digits(least), json.digits(most)));
  const deposits = subselect(
    'deposits',
    sql`select ${expected} ${as.jsonOfOrNull(expected)('expected')}
          from ${define(brought)} left join lateral ${define(taken)} on true cross join lateral ${define(ownCoins)}`,
  );
  return sql`
    select ${address.id.as('id')}, ${address.addressKey.as('addressKey')}, ${deposits.expected.as('expected')}
      from ${define(address)}
      left join lateral ${define(deposits)} on true
     order by ${address.id}`;
}
