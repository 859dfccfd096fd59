import { ChainBlock } from '../offers/chain-block.entity.js';
import { ChainCursor } from '../offers/chain-cursor.entity.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { comesBackWithin } from '../payments/deposits/reorged-deposit.sql.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { out, set, table } from '../platform/sql/table.js';

const deposit = table(Deposit);
const cursor = table(ChainCursor, 'cursor');
const block = table(ChainBlock);

/** A page of the deposits of a chain, by their ids. */
export interface DepositPage {
  readonly chainRef: string;
  readonly above: string;
  readonly limit: number;
}

const mayComeBack = sql`
  ${deposit.goneAt} is not null
    and (${deposit.reversedAt} is null or ${deposit.reversedAt} > now() - ${comesBackWithin})`;

/** The columns that describe a deposit to a node. */
const TRANSFER = ['id', 'position', 'tokenContract', 'toAddress', 'amount', 'blockHeight', 'blockHash'] as const;

/** Finds the chains that are halted, and those that have marked deposits. */
export const dueChains = sql`
  select ${out(cursor, 'chainRef')}, ${cursor.haltedReason} is not null ${as.boolean('isHalted')}
    from ${cursor}
   where ${cursor.haltedReason} is not null
      or exists (select from ${deposit} where ${deposit.chainRef} = ${cursor.chainRef} and ${mayComeBack})`;

/**
 * Reads final deposits in blocks that the listener still stores, above an id: a range of the primary key, since no index has
 * the height of final deposits.
 */
export const inDoubt = ({ chainRef, above, limit }: DepositPage) => sql`
  select ${out(deposit, ...TRANSFER)}, ${deposit.txHash.asNotNull('txHash')} from ${deposit}
   where ${deposit.id} > ${above} and ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'confirmed'
     and ${deposit.goneAt} is null and ${deposit.txHash} is not null
     and ${deposit.blockHeight} >= (select min(${block.height}) from ${block} where ${block.chainRef} = ${chainRef})
   order by ${deposit.id} limit ${limit}`;

/** Reads marked deposits above an id that may be back. */
export const marked = ({ chainRef, above, limit }: DepositPage) => sql`
  select ${out(deposit, ...TRANSFER)}, ${deposit.txHash.asNotNull('txHash')} from ${deposit}
   where ${deposit.id} > ${above} and ${deposit.chainRef} = ${chainRef} and ${deposit.txHash} is not null
     and ${mayComeBack} order by ${deposit.id} limit ${limit}`;

/** Finds a final deposit that a transaction brought. */
export const findFinal = (id: string) => sql`
  select ${out(deposit, 'chainRef', ...TRANSFER)}, ${deposit.txHash.asNotNull('txHash')} from ${deposit}
   where ${deposit.id} = ${id} and ${deposit.status} = 'confirmed' and ${deposit.txHash} is not null`;

/** Reads the time of the oldest block that the listener still stores. */
export const oldestBlockTime = (chainRef: string) => sql`
  select ${out(block, 'blockTime')} from ${block} where ${block.chainRef} = ${chainRef} order by ${block.height} limit 1`;

/** Marks deposits as reorged, and returns those that were not marked before. */
export const markGone = (ids: readonly string[]) => sql`
  update ${deposit} set ${set(deposit, { goneAt: sql`now()` })}
   where ${deposit.id} = any(${ids}) and ${deposit.goneAt} is null returning ${out(deposit, 'id')}`;

/** Removes the marks of deposits, and returns those that were marked. */
export const unmarkGone = (ids: readonly string[]) => sql`
  update ${deposit} set ${set(deposit, { goneAt: null })}
   where ${deposit.id} = any(${ids}) and ${deposit.goneAt} is not null returning ${out(deposit, 'id')}`;

/** Finds the intents of marked deposits that were reorged before they were credited. */
export const intentsWaitingFor = (ids: readonly string[]) => sql`
  select ${deposit.intentId.asNotNull('intentId')} from ${deposit}
   where ${deposit.id} = any(${ids}) and ${deposit.goneAt} is not null and ${deposit.bookedAt} is null
     and ${deposit.intentId} is not null`;
