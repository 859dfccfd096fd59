import { Account, type AccountKind, HOLDING_ACCOUNT_KINDS } from '../../ledger/account.entity.js';
import type { Environment } from '../../domain/network.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { DisprovedAddress } from '../../payments/addresses/disproved-address.entity.js';
import type { Asset } from '../../domain/posting.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { DepositBalance } from '../sweeps/deposit-balance.entity.js';
import { isFrozen } from '../sweeps/frozen-balances.sql.js';
import { heldOf } from '../sweeps/held-balance.sql.js';

const account = table(Account);
const balance = table(DepositBalance);
const disproved = table(DisprovedAddress);

/** Accounts with money that belongs to others. */
const OWED: readonly AccountKind[] = ['pocket_available', 'pocket_held', ...HOLDING_ACCOUNT_KINDS];

/** Where the coins are owed, and what a sweep of one address costs in smallest units. */
interface Owing {
  readonly chainRef: string;
  readonly environment: Environment;
  readonly asset: Asset;
  readonly sweepCost: bigint;
}

/**
 * Sums the coins that belong to others, and those of them that sweeps bring from deposit addresses. Of an address this is no
 * more than its deposits: what is left there of fundings is the operator's, and pays for sweeps.
 */
export const sumOwed = ({ chainRef, environment, asset, sweepCost }: Owing) => sql`
  select coalesce((select sum(${account.balance}) from ${account}
                    where ${account.environment} = ${environment} and ${account.asset} = ${asset}
                      and ${account.kind} = any(${OWED})), 0) ${as.digits('owed')},
         coalesce((select sum(least(${balance.received} - ${balance.swept}, ${heldOf(balance)} - ${sweepCost})) from ${balance}
                    where ${balance.chainRef} = ${chainRef} and ${balance.tokenContract} = ${NATIVE_COIN}
                      and ${heldOf(balance)} > ${sweepCost} and ${balance.received} > ${balance.swept}
                      and ${balance.sweepId} is null and ${balance.setAsideReason} is null
                      and (${balance.retryAt} is null or ${balance.retryAt} <= now()) and not ${isFrozen(balance)}
                      and not exists (select from ${disproved} where ${disproved.addressId} = ${balance.addressId})),
                  0) ${as.digits('sweepable')}`;
