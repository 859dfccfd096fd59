import { defineEntity, p } from '@mikro-orm/core';
import { WholeNumberType } from '../platform/database/columns.js';
const ChainCursorSchema = defineEntity({
  name: 'ChainCursor',
  tableName: 'chain_cursor',
  properties: {
    chainRef: p.text().primary(),
    height: p.type(WholeNumberType),
    hash: p.text(),
    blockTime: p.datetime(3),
    headHeight: p.type(WholeNumberType),
    finalizedHeight: p.type(WholeNumberType),
    syncedAt: p.datetime(3),
    epoch: p.type(WholeNumberType),
    haltedReason: p.text().strictNullable(),
    finalityDoubt: p.text().strictNullable(),
    nativeRoundBelow: p.type(WholeNumberType).strictNullable(),
  },
});

/** How far a chain has been recorded: the last block (height, hash) whose transfers are all stored. */
export class ChainCursor extends ChainCursorSchema.class {}
ChainCursorSchema.setClass(ChainCursor);
