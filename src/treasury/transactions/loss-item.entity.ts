import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType, wholeNumber } from '../../platform/database/columns.js';

const LossItemSchema = defineEntity({
  name: 'LossItem',
  tableName: 'loss_item',
  properties: {
    transactionId: p.text().primary(),
    tokenContract: p.text().primary(),
    chainRef: p.text(),
    amount: p.type(UnitsType),
    height: wholeNumber(),
  },
});

/**
 * The amount of a token that left a hot wallet by a loss, by the logs of its final receipt in the block `height`. The
 * coin value of a loss is in its outgoing transaction.
 */
export class LossItem extends LossItemSchema.class {}
LossItemSchema.setClass(LossItem);
