import { ChainBlock } from '../../offers/chain-block.entity.js';
import { ChainCursor } from '../../offers/chain-cursor.entity.js';
import { type HeldLease, lockLease } from '../../platform/leases.sql.js';
import { as } from '../../platform/sql/as.js';
import { cte, define, defineAll, subselect } from '../../platform/sql/relation.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { out, set, table } from '../../platform/sql/table.js';
import { Deposit } from '../deposits/deposit.entity.js';
import { deleteBlocksBelow, type NewBlock, upsertBlocks } from './recorded-blocks.sql.js';
import { deleteReplacedFundings } from './seen-fundings.sql.js';

const cursor = table(ChainCursor);
const block = table(ChainBlock);
const deposit = table(Deposit);

/** A recorded block. */
interface Place {
  readonly height: number;
  readonly hash: string;
}

/** A cursor at the end of a step. */
export interface MovedCursor extends Place {
  readonly headHeight: number;
  readonly finalizedHeight: number;
  /** The time of the step's last block; null when it has none. */
  readonly time: Date | null;
  /** The database's time before the head was read. */
  readonly readAt: Date;
  readonly isCaughtUp: boolean;
  /** The block that the chain kept after a reorg; null without one. */
  readonly rolledBackTo: number | null;
  /** Whether the round over all addresses went on, and below which address it continues; null = a new round. */
  readonly hasTurned: boolean;
  readonly nativeRoundBelow: string | null;
  /** As of when the balances in the coin were read where it is expected; null = not in this step. */
  readonly coinsReadTo: Date | null;
}

/** Blocks to be recorded with a move of the cursor. */
export interface BlockRecord {
  readonly blocks: readonly NewBlock[];
  /** Blocks below this height are deleted. */
  readonly lowestKept: number;
  readonly held: HeldLease;
}

/** A step that found the chain unchanged. */
export interface IdleCheck {
  readonly headHeight: number;
  readonly finalizedHeight: number;
  readonly readAt: Date;
}

/** Reads how far a chain is recorded. A cursor that an operator has set back claims nothing as final above itself. */
export const findPlace = (chainRef: string) => sql`
  select ${out(cursor, 'height', 'hash', 'haltedReason', 'pausedBy', 'finalityDoubt', 'nativeRoundBelow')},
         least(${cursor.finalizedHeight}, ${cursor.height}) ${as.digits('finalizedHeight')}, now() ${as.time('now')}
    from ${cursor} where ${cursor.chainRef} = ${chainRef}`;

const timeOf = (chainRef: string, { height, time }: MovedCursor) => sql`
  select coalesce(${time}::timestamptz,
                  (select ${block.blockTime} from ${block}
                    where ${block.chainRef} = ${chainRef} and ${block.height} = ${height}),
                  (select ${cursor.blockTime} from ${cursor} where ${cursor.chainRef} = ${chainRef})) ${as.time('time')}`;
const top = subselect('top', timeOf);

const leaderOf = (held: HeldLease) => cte('leader', lockLease(held));

/**
 * Returns a row if the lease has this epoch and the listener of the chain is neither halted nor paused. Both rows are locked, the
 * lease first: a take-over, a pause or a halt waits for the end of this transaction.
 */
export function holdCursorAsLeader(chainRef: string, held: HeldLease) {
  const leader = leaderOf(held);
  return sql`
    with ${define(leader)}
    select ${out(cursor, 'height')} from ${cursor}
     where ${cursor.chainRef} = ${chainRef} and ${cursor.haltedReason} is null and ${cursor.pausedAt} is null
       and exists (select from ${leader}) for share of ${cursor}`;
}

/** Moves the cursor of a chain from one place to another, unless it is elsewhere, halted, paused, or of a later epoch. */
export const advanceCursor = (chainRef: string, from: Place, to: MovedCursor, epoch: number) => sql`
  ${advance(chainRef, from, to, epoch)} returning ${out(cursor, 'chainRef')}`;

const withoutDiskWait = cte('without_disk_wait', sql`select set_config('synchronous_commit', 'off', true)`);

/**
 * Does the same as a transaction of its own, unless the lease has another epoch.
 *
 * Its commit does not wait for the disk. PostgreSQL's log has it after the deposits of its step, and before every transaction
 * that saw it, so that none of them is kept without those before. A crash of the database may lose it: the step is made again,
 * which records nothing twice. That holds only while this transaction writes nothing but the cursor.
 */
export function advanceCursorAsLeader(chainRef: string, from: Place, to: MovedCursor, held: HeldLease) {
  const leader = leaderOf(held);
  return sql`
    with ${define(leader)}, ${define(withoutDiskWait)}
    ${advance(chainRef, from, to, held.epoch)} and exists (select from ${leader}) and exists (select from ${withoutDiskWait})
    returning ${out(cursor, 'chainRef')}`;
}

/**
 * Moves the cursor of a chain over blocks without a transfer to us, and stores them. It writes nothing when `advanceCursor` would
 * move nothing, when the lease has another epoch, when a deposit could become final, or when one was in a block that these
 * replace.
 */
export function advanceOverBlocks(chainRef: string, from: Place, to: MovedCursor, record: BlockRecord) {
  const { blocks, lowestKept, held } = record;
  const leader = leaderOf(held);
  const moved = cte(
    'moved',
    sql`
      ${advance(chainRef, from, to, held.epoch)} and exists (select from ${leader})
         and not exists (select from ${deposit}
                          where ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'seen'
                            and (${deposit.blockHeight} <= ${to.finalizedHeight} or ${deposit.blockHeight} > ${from.height}))
      returning ${out(cursor, 'chainRef')}`,
  );
  const isMoved = sql`exists (select from ${moved})`;
  // A deletion in the same statement does not see them.
  const kept = blocks.filter(({ height }) => height >= lowestKept);
  const stored = cte('stored', upsertBlocks(chainRef, kept, isMoved));
  const pruned = cte('pruned', deleteBlocksBelow(chainRef, lowestKept, isMoved));
  const corrected = cte('corrected', deleteReplacedFundings(chainRef, blocks, isMoved));
  return sql`with ${defineAll([leader, moved, stored, pruned, corrected])} select ${moved.chainRef.as('chainRef')} from ${moved}`;
}

function advance(chainRef: string, from: Place, to: MovedCursor, epoch: number): SqlText {
  const { height, hash, headHeight, finalizedHeight } = to;
  const nativeRoundBelow = sql`case when ${to.hasTurned} then ${to.nativeRoundBelow} else ${cursor.nativeRoundBelow} end`;
  // After a rollback that does not reach the head again, we know the chain as it was at that block.
  const syncedAt = sql`
    case when ${to.isCaughtUp} then ${to.readAt}
         when ${to.rolledBackTo !== null} then least(${cursor.syncedAt}, ${top.time}) else ${cursor.syncedAt} end`;
  // Null is less than every time here.
  const coinsReadTo = sql`greatest(${cursor.coinsReadTo}, ${to.coinsReadTo}::timestamptz)`;
  const place = { height, hash, headHeight, finalizedHeight, epoch };
  const reorg =
    to.rolledBackTo === null
      ? { reorgAt: cursor.reorgAt, reorgFrom: cursor.reorgFrom, reorgTo: cursor.reorgTo }
      : { reorgAt: sql`now()`, reorgFrom: from.height, reorgTo: to.rolledBackTo };
  const moved = { ...reorg, ...place, blockTime: top.time, nativeRoundBelow, syncedAt, coinsReadTo };
  return sql`
    update ${cursor} set ${set(cursor, moved)} from ${define(top, chainRef, to)}
     where ${cursor.chainRef} = ${chainRef} and ${cursor.height} = ${from.height} and ${cursor.hash} = ${from.hash}
       and ${cursor.epoch} <= ${epoch} and ${cursor.haltedReason} is null and ${cursor.pausedAt} is null`;
}

/**
 * Stores on the cursor of a chain that it is unchanged, unless the cursor or the lease is elsewhere, or a waiting deposit
 * could become final.
 */
export function recordUnchanged(chainRef: string, at: Place, check: IdleCheck, held: HeldLease) {
  const { headHeight, finalizedHeight, readAt } = check;
  const leader = leaderOf(held);
  return sql`
    with ${define(leader)}
    update ${cursor} set ${set(cursor, { headHeight, syncedAt: readAt, epoch: held.epoch })}
     where ${cursor.chainRef} = ${chainRef} and ${cursor.height} = ${at.height} and ${cursor.hash} = ${at.hash}
       and ${cursor.finalizedHeight} = ${finalizedHeight} and ${cursor.epoch} <= ${held.epoch}
       and ${cursor.haltedReason} is null and ${cursor.pausedAt} is null and exists (select from ${leader})
       and not exists (select from ${deposit} where ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'seen'
                                                and ${deposit.blockHeight} <= ${finalizedHeight})
    returning ${out(cursor, 'chainRef')}`;
}

/** Stores why a chain is halted. */
export const markHalted = (chainRef: string, haltedReason: string) => sql`
  update ${cursor} set ${set(cursor, { haltedReason })} where ${cursor.chainRef} = ${chainRef}`;

/** Stores the disagreement of the nodes about a final block, or null. */
export const markDoubted = (chainRef: string, finalityDoubt: string | null) => sql`
  update ${cursor} set ${set(cursor, { finalityDoubt })} where ${cursor.chainRef} = ${chainRef}`;
