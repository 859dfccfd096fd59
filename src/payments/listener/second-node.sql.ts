import { ChainBlock } from '../../offers/chain-block.entity.js';
import { ChainCursor } from '../../offers/chain-cursor.entity.js';
import { as } from '../../platform/sql/as.js';
import { given, unnest } from '../../platform/sql/given.js';
import { sql } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { PoolAddress } from '../addresses/pool-address.entity.js';
import { Deposit } from '../deposits/deposit.entity.js';
import { nativeCoin } from '../deposits/native-coin.sql.js';
import { hasNodesEnough } from './second-node-rule.sql.js';

const deposit = table(Deposit);
const known = table(Deposit, 'known');
const cursor = table(ChainCursor);
const address = table(PoolAddress);
const block = table(ChainBlock);
const verdict = given('verdict', { id: 'text', blockHash: 'text', amount: 'numeric', isReported: 'boolean' });

/** What the nodes said about a deposit as it was read. */
export interface NewVerdict {
  readonly id: string;
  readonly blockHash: string;
  readonly amount: bigint;
  readonly isReported: boolean;
}

/** Within which bounds a deposit waits for the next question. */
export interface AskAgain {
  readonly minSeconds: number;
  readonly maxSeconds: number;
}

/**
 * Finds the deposits of a chain that need only a second node to become final: those of an intent first, then the longest
 * waiting.
 */
export function findWaitingForNode(chainRef: string, aboveCents: number, limit: number) {
  // Coins that we send from an address must be subtracted from its known units, as in native-remainders.sql.ts.
  const knownUnits = sql`
    select sum(${known.amount}) from ${known}
     where ${known.chainRef} = ${chainRef} and ${known.addressId} = ${deposit.addressId}
       and ${known.status} <> 'orphaned' and ${known.tokenContract} = ${nativeCoin}
       and ${known.blockHeight} <= ${cursor.finalizedHeight}`;
  return sql`
    select ${out(deposit, 'id', 'txHash', 'position', 'tokenContract', 'amount', 'blockHeight', 'blockHash')},
           ${out(address, 'addressKey')},
           case when ${deposit.txHash} is null then (${knownUnits}) else 0 end ${as.digits('knownUnits')}
      from ${deposit}
      join ${cursor} on ${cursor.chainRef} = ${deposit.chainRef}
      join ${address} on ${address.id} = ${deposit.addressId}
     where ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'seen'
       and ${deposit.blockHeight} <= ${cursor.finalizedHeight}
       and not ${hasNodesEnough(chainRef, aboveCents)}
       and (${deposit.secondNodeDueAt} is null or ${deposit.secondNodeDueAt} <= now())
     order by ${deposit.intentId} is null, coalesce(${deposit.secondNodeDueAt}, ${deposit.seenAt}) limit ${limit}`;
}

/** Finds the newest final block of a chain. */
export const findNewestFinal = (chainRef: string) => sql`
  select ${out(block, 'height', 'hash')} from ${cursor}
    join ${block} on ${block.chainRef} = ${cursor.chainRef} and ${block.height} = ${cursor.finalizedHeight}
   where ${cursor.chainRef} = ${chainRef}`;

/** Stores verdicts. They are about what was read: the block or the amount may have changed since. */
export function storeVerdicts(verdicts: readonly NewVerdict[], { minSeconds, maxSeconds }: AskAgain) {
  const dueAt = sql`
    now() + greatest(least((now() - ${deposit.seenAt}) / 10, make_interval(secs => ${maxSeconds})),
                     make_interval(secs => ${minSeconds}))`;
  const judged = {
    secondNodeAt: sql`case when ${verdict.isReported} then now() end`,
    secondNodeDueAt: sql`case when not ${verdict.isReported} then ${dueAt} end`,
  };
  return sql`
    update ${deposit} set ${set(deposit, judged)} from ${unnest(verdict, verdicts)}
     where ${deposit.id} = ${verdict.id} and ${deposit.blockHash} = ${verdict.blockHash}
       and ${deposit.amount} = ${verdict.amount} and ${deposit.status} = 'seen'`;
}
