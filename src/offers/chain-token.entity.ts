import { defineEntity, p } from '@mikro-orm/core';

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
  },
});

/** A token on offer on one chain. Its identity is (chain, contract), never the symbol. */
export class ChainToken extends ChainTokenSchema.class {}
ChainTokenSchema.setClass(ChainToken);
