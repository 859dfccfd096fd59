import { Account, type AccountKind, HOLDING_ACCOUNT_KINDS } from '../../ledger/account.entity.js';
import type { Environment } from '../../domain/network.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { Asset } from '../../domain/posting.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { DepositBalance } from '../sweeps/deposit-balance.entity.js';
import { isFrozen } from '../sweeps/frozen-balances.sql.js';
import { heldOf } from '../sweeps/held-balance.sql.js';

const account = table(Account);
const balance = table(DepositBalance);

/** Accounts with money that belongs to others. */
const OWED: readonly AccountKind[] = ['pocket_available', 'pocket_held', ...HOLDING_ACCOUNT_KINDS];

/** Sums the coins that belong to others, and those of them that lie at deposit addresses, from where they can be swept. */
export const sumOwed = (chainRef: string, environment: Environment, asset: Asset) => sql`
  select coalesce((select sum(${account.balance}) from ${account}
                    where ${account.environment} = ${environment} and ${account.asset} = ${asset}
                      and ${account.kind} = any(${OWED})), 0) ${as.digits('owed')},
         coalesce((select sum(${heldOf(balance)}) from ${balance}
                    where ${balance.chainRef} = ${chainRef} and ${balance.tokenContract} = ${NATIVE_COIN}
                      and ${heldOf(balance)} > 0 and ${balance.sweepId} is null and ${balance.setAsideReason} is null
                      and not ${isFrozen(balance)}), 0) ${as.digits('sweepable')}`;
