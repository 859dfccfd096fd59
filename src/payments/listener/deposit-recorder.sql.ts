import { given, unnest } from '../../platform/sql/given.js';
import { sql } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { PoolAddress } from '../addresses/pool-address.entity.js';
import { Deposit } from '../deposits/deposit.entity.js';
import { isSweptNow, wasSweptSince } from './native-remainders.sql.js';
import { hasNodesEnough } from './second-node-rule.sql.js';

const deposit = table(Deposit);
const address = table(PoolAddress);
const read = given('read', { height: 'bigint', hash: 'text' });

/** What a step may change of the deposits of a chain. */
export interface Reach {
  readonly finalizedHeight: number;
  /** Blocks above this height are removed by a reorg, or read again. */
  readonly above: number;
  readonly txHashes: readonly (string | null)[];
  readonly secondNodeAboveCents: number | null;
}

/** What decides which deposits of a chain become final. */
export interface Finality {
  readonly finalizedHeight: number;
  readonly secondNodeAboveCents: number | null;
  readonly isCaughtUp: boolean;
  /** Ids of the addresses that were being swept when the balances were compared. */
  readonly sweptAddressIds: readonly string[];
  /** The addresses (lower case) whose balances were read. */
  readonly readAddresses: readonly string[];
}

/** Finds the intents whose stored deposits a step may change. */
export const findAboutToChange = (chainRef: string, reach: Reach) => sql`
  select ${deposit.intentId.asNotNull('intentId')} from ${deposit}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'seen' and ${deposit.intentId} is not null
     and (${deposit.blockHeight} > ${reach.above}
          or (${deposit.blockHeight} <= ${reach.finalizedHeight} and ${hasNodesEnough(chainRef, reach.secondNodeAboveCents)}))
   union
  select ${deposit.intentId} from ${deposit}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.txHash} = any(${reach.txHashes}::text[])
     and ${deposit.status} <> 'confirmed' and ${deposit.intentId} is not null`;

/** Orphans the deposits above a height that are not final. */
export const orphanAbove = (chainRef: string, height: number) => sql`
  update ${deposit} set ${set(deposit, { status: 'orphaned' })}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'seen' and ${deposit.blockHeight} > ${height}
  returning ${out(deposit, 'intentId')}`;

/** Orphans the deposits that are not final and whose block was replaced by one of these. */
export const orphanReplaced = (
  chainRef: string,
  blocks: readonly { readonly height: number; readonly hash: string }[],
) => sql`
  update ${deposit} set ${set(deposit, { status: 'orphaned' })} from ${unnest(read, blocks)}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'seen' and ${deposit.blockHeight} = ${read.height}
     and ${deposit.blockHash} <> ${read.hash}
  returning ${out(deposit, 'intentId')}`;

/**
 * Makes deposits final. A remainder does not become final before a step that is caught up with the head, where balances may
 * still contradict it, nor while its address is swept (or was when the balances were compared), nor before its balance was
 * read after that. With finality the database records, once, whether the current sanctions list has the sender.
 */
export const confirmFinal = (chainRef: string, final: Finality) => sql`
  update ${deposit} set ${set(deposit, { status: 'confirmed', confirmedAt: sql`now()` })}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'seen' and ${deposit.blockHeight} <= ${final.finalizedHeight}
     and (${deposit.txHash} is not null
          or (${final.isCaughtUp} and ${deposit.addressId} <> all(${final.sweptAddressIds}::bigint[])
              and not ${isSweptNow(chainRef)}
              and (not ${wasSweptSince(chainRef)}
                   or (select ${address.addressKey} from ${address} where ${address.id} = ${deposit.addressId})
                      = any(${final.readAddresses}))))
     and ${hasNodesEnough(chainRef, final.secondNodeAboveCents)}
  returning ${out(deposit, 'intentId')}`;
