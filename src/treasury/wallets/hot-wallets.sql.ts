import type { AddressFamily, Environment } from '../../domain/network.js';
import { ChainCursor } from '../../offers/chain-cursor.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { raw, sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, set, table, values } from '../../platform/sql/table.js';
import { DATABASE_IDENTITY } from '../database-identity.js';
import { HotWallet } from './hot-wallet.entity.js';

const wallet = table(HotWallet);
const chain = table(Chain);
const cursor = table(ChainCursor);
const identity = raw(DATABASE_IDENTITY);

/** Separates reasons, so that the person who lifts a freeze sees all of them. */
const separator = sql`'; '`;

/** Locks the wallet of an active chain, so that one caller at a time takes a nonce, and reads it with its chain. */
export const lockHotWallet = (chainRef: string) => sql`
  select ${out(wallet, 'addressKey', 'nextNonce', 'chainNonce', 'frozenReason')}, ${wallet.databaseIdentity.as('signedOn')},
         ${identity} ${as.text('liesOn')}, ${out(chain, 'environment', 'network', 'chainId')},
         coalesce(${cursor.haltedReason}, ${cursor.finalityDoubt}) is not null ${as.boolean('isInDoubt')},
         ${cursor.pausedAt} is not null ${as.boolean('isPaused')}
    from ${wallet} join ${chain} on ${chain.id} = ${wallet.chainRef}
    join ${cursor} on ${cursor.chainRef} = ${wallet.chainRef}
   where ${wallet.chainRef} = ${chainRef} and ${chain.active} for no key update of ${wallet}`;

/** Takes the next nonce of a wallet, and records the database on which it was taken. */
export const takeNonce = (chainRef: string, databaseIdentity: string) => sql`
  update ${wallet} set ${set(wallet, { nextNonce: sql`${wallet.nextNonce} + 1`, databaseIdentity })}
   where ${wallet.chainRef} = ${chainRef}`;

/** A transaction count that the chain has to be asked for. */
const DISTRUSTED = { chainNonce: null, distrustedAt: sql`now()` };

/** Clears the transaction count of a wallet. */
export const distrustCount = (chainRef: string) => sql`
  update ${wallet} set ${set(wallet, DISTRUSTED)} where ${wallet.chainRef} = ${chainRef}`;

/** Clears the transaction counts of all wallets. One that is cleared already gets the time: a backup has an old one. */
export const distrustAllCounts = sql`update ${wallet} set ${set(wallet, DISTRUSTED)}`;

/** Clears the transaction count of a wallet, and records the database that holds its row now. */
export const moveWallet = (chainRef: string, databaseIdentity: string) => sql`
  update ${wallet} set ${set(wallet, { ...DISTRUSTED, databaseIdentity })} where ${wallet.chainRef} = ${chainRef}`;

/** Raises the transaction count of a wallet. A count that was distrusted meanwhile is set only if it `wasDistrusted`. */
export const raiseCount = (chainRef: string, count: number, wasDistrusted: boolean) => sql`
  update ${wallet} set ${set(wallet, { chainNonce: sql`greatest(${wallet.chainNonce}, ${count})` })}
   where ${wallet.chainRef} = ${chainRef} and (${wallet.chainNonce} is not null or ${wasDistrusted})`;

/** Reads the wallets of active chains of these families, with what is known of their transactions. */
export const walletsOfFamilies = (families: readonly AddressFamily[]) => sql`
  select ${out(wallet, 'chainRef', 'addressKey', 'completeHeight', 'distrustedAt')},
         ${wallet.chainNonce} is not null ${as.boolean('isTrusted')}
    from ${wallet} join ${chain} on ${chain.id} = ${wallet.chainRef} and ${chain.active}
   where ${chain.family} = any(${families})`;

/** Records that every transaction of a wallet up to a final block is recorded, unless a later block is known. */
export const raiseComplete = (chainRef: string, height: number) => sql`
  update ${wallet} set ${set(wallet, { completeHeight: height })}
   where ${wallet.chainRef} = ${chainRef} and coalesce(${wallet.completeHeight}, -1) < ${height}`;

/** Trusts the records of a wallet again, unless they were distrusted later than at `since`. */
export const trustRecords = (chainRef: string, since: Date | null) => sql`
  update ${wallet} set ${set(wallet, { chainNonce: 0 })}
   where ${wallet.chainRef} = ${chainRef} and ${wallet.chainNonce} is null
     and ${wallet.distrustedAt} is not distinct from ${since}`;

/** Finds the wallets of active chains that last took a nonce on another database. */
export const walletsElsewhere = sql`
  select ${out(wallet, 'chainRef')} from ${wallet} join ${chain} on ${chain.id} = ${wallet.chainRef} and ${chain.active}
   where ${wallet.databaseIdentity} <> ${identity} order by ${wallet.chainRef}`;

/** Reads the active chains with the addresses of their wallets. */
export const chainsWithWallets = sql`
  select ${out(chain, 'id', 'environment', 'network')}, ${wallet.addressKey.asOrNull('addressKey')}
    from ${chain} left join ${wallet} on ${wallet.chainRef} = ${chain.id} where ${chain.active}`;

const finalHeightOf = (chainRef: string) => sql`
  (select ${cursor.finalizedHeight} from ${cursor} where ${cursor.chainRef} = ${chainRef})`;

/**
 * Inserts a wallet, unless its chain has one. No order is older than it, so no transaction below the newest final block can
 * have paid one.
 */
export const insertWallet = (row: Pick<HotWallet, 'chainRef' | 'address' | 'addressKey' | 'derivationPath'>) => sql`
  insert into ${wallet}
    ${values(wallet, { ...row, databaseIdentity: identity, completeHeight: finalHeightOf(row.chainRef) })}
  on conflict ${columns(wallet, 'chainRef')} do nothing`;

/** Adds a reason to the frozen wallet of a chain, or freezes it; returns it unless it has this reason already. */
export const freezeOne = (chainRef: string, reason: string) =>
  sql`${freeze(reason, sql`${wallet.chainRef} = ${chainRef}`)} returning ${out(wallet, 'chainRef')}`;

/** Does the same with the wallets of an environment, or of all (null). */
export const freezeAll = (environment: Environment | null, reason: string) =>
  freeze(
    reason,
    sql`(${environment}::text is null
         or ${wallet.chainRef} in (select ${chain.id} from ${chain} where ${chain.environment} = ${environment}))`,
  );

function freeze(reason: string, which: SqlText) {
  const added = sql`${wallet.frozenReason} || ${separator} || ${reason}::text`;
  const frozenReason = sql`case when ${wallet.frozenReason} is null then ${reason}::text else ${added} end`;
  return sql`
    update ${wallet} set ${set(wallet, { frozenReason })}
     where (${wallet.frozenReason} is null
            or strpos(${separator} || ${wallet.frozenReason} || ${separator}, ${separator} || ${reason}::text || ${separator}) = 0)
       and ${which}`;
}
