import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { raw, sql } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { EXPIRING_FAMILIES } from '../expiring/expiring-families.js';
import { DATABASE_IDENTITY } from '../database-identity.js';
import { VaultAudit } from '../vault-audit.entity.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';
import { ChainTransaction } from './chain-transaction.entity.js';
import { isNeverMined } from './never-mined.sql.js';
import type { TransactionPurpose } from './transaction-order.js';

const wallet = table(HotWallet);
const chain = table(Chain);
const transaction = table(ChainTransaction);
const audit = table(VaultAudit);

/** Whether the chain counts more transactions of a wallet than we know; null while it is not counted. */
const isAhead = sql`${wallet.chainNonce} > ${wallet.nextNonce}`;

/**
 * Reads whether the chain's transactions of its hot wallet are counted, on this database, and more than ours. `mayBeInFlight`:
 * where transactions expire, bytes that are not recorded may still be mined, and no node lists them.
 */
export const findActiveCount = (chainRef: string) => sql`
  select ${wallet.chainNonce} is not null
           and coalesce(${wallet.databaseIdentity} = ${raw(DATABASE_IDENTITY)}, true) ${as.boolean('isCounted')},
         ${isAhead} ${as.booleanOrNull('isAhead')}, ${wallet.frozenReason} is not null ${as.boolean('isFrozen')},
         ${wallet.chainNonce} is null and ${chain.family} = any(${EXPIRING_FAMILIES}) ${as.boolean('mayBeInFlight')}
    from ${wallet} join ${chain} on ${chain.id} = ${wallet.chainRef} and ${chain.active}
   where ${wallet.chainRef} = ${chainRef}`;

/** Reads whether the chain's transactions of its hot wallet are counted, on any database, and more than ours. */
export const findCount = (chainRef: string) => sql`
  select ${wallet.chainNonce} is not null ${as.boolean('isCounted')}, ${isAhead} ${as.booleanOrNull('isAhead')}
    from ${wallet} where ${wallet.chainRef} = ${chainRef}`;

/** Locks the hot wallet of a chain if it is frozen. */
export const lockFrozen = (chainRef: string) => sql`
  select from ${wallet} where ${wallet.chainRef} = ${chainRef} and ${wallet.frozenReason} is not null for no key update`;

/**
 * Finds a signature for an order. Both tables are checked: a signed transaction may be mined at any time, whatever the
 * order says. A superseded or expired one never is.
 */
export const findSignature = (purpose: TransactionPurpose, purposeId: string) => sql`
  select from ${transaction}
   where ${transaction.purpose} = ${purpose} and ${transaction.purposeId} = ${purposeId}
     and not ${isNeverMined(transaction)}
   union all
  select from ${audit}
   where ${audit.purpose} = ${purpose} and ${audit.purposeId} = ${purposeId} and ${audit.verdict} <> 'refused'
     and not exists (select from ${transaction}
                      where ${transaction.id} = ${audit.transactionId} and ${isNeverMined(transaction)})
   limit 1`;
