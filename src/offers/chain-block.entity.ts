import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../platform/database/columns.js';
const ChainBlockSchema = defineEntity({
  name: 'ChainBlock',
  tableName: 'chain_block',
  properties: {
    chainRef: p.text().primary(),
    height: wholeNumber().primary(),
    hash: p.text(),
    parentHash: p.text(),
    blockTime: p.datetime(3),
  },
});

/** A recently recorded block, kept to find the common ancestor after a reorg. */
export class ChainBlock extends ChainBlockSchema.class {}
ChainBlockSchema.setClass(ChainBlock);
