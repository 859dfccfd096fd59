import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType } from '../platform/database/columns.js';

const ChainTokenSchema = defineEntity({
  name: 'ChainToken',
  tableName: 'chain_token',
  properties: {
    chainRef: p.text().primary(),
    /** `NATIVE_COIN` for the coin of the chain. */
    contract: p.text().primary(),
    symbol: p.text(),
    decimals: p.integer(),
    minorUnitExponent: p.integer(),
    enabled: p.boolean(),
    disabledReason: p.text().strictNullable(),
    /** The smallest payment to an address without funds, as sampled from the chain; null where there is none. */
    minimumAmount: p.type(UnitsType).strictNullable(),
  },
});

/** A token on offer on one chain. Its identity is (chain, contract), never the symbol. */
export class ChainToken extends ChainTokenSchema.class {}
ChainTokenSchema.setClass(ChainToken);
