import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../platform/database/columns.js';
const ChainCursorSchema = defineEntity({
  name: 'ChainCursor',
  tableName: 'chain_cursor',
  properties: {
    chainRef: p.text().primary(),
    height: wholeNumber(),
    hash: p.text(),
    blockTime: p.datetime(3),
    headHeight: wholeNumber(),
    finalizedHeight: wholeNumber(),
    syncedAt: p.datetime(3),
    epoch: wholeNumber(),
    /** Why the listener halted; null while it has not. */
    haltedReason: p.text().strictNullable(),
    /** The disagreement of the nodes about a final block, for the operator; null = none. */
    finalityDoubt: p.text().strictNullable(),
    nativeRoundBelow: wholeNumber().strictNullable(),
    /** As of when the balances in the coin were read where it is expected; null where that is `blockTime`. */
    coinsReadTo: p.datetime(3).strictNullable(),
    /** When, by whom and why staff paused the listener; null while it runs. */
    pausedAt: p.datetime(3).strictNullable(),
    pausedBy: p.text().strictNullable(),
    pausedReason: p.text().strictNullable(),
    /** The last reorg: when it was found, the block that was read before it, and the one that the chain kept. */
    reorgAt: p.datetime(3).strictNullable(),
    reorgFrom: wholeNumber().strictNullable(),
    reorgTo: wholeNumber().strictNullable(),
  },
});

/** How far a chain has been recorded: the last block (height, hash) whose transfers are all stored. */
export class ChainCursor extends ChainCursorSchema.class {}
ChainCursorSchema.setClass(ChainCursor);
