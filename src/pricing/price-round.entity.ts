import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../domain/network.js';
/** The outcome for one token: a decimal price in USD, or null when the rules gave none; and what each source said. */
export interface PriceVerdict {
  readonly price: string | null;
  readonly sources: readonly { readonly source: string; readonly price: string | null; readonly at: string }[];
}

const PriceRoundSchema = defineEntity({
  name: 'PriceRound',
  tableName: 'price_round',
  properties: {
    id: p.text().primary(),
    environment: p.text().$type<Environment>(),
    prices: p.json().$type<Record<string, PriceVerdict>>(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** One refresh of all prices: what every source said and the price that follows. A quote refers to its round. */
export class PriceRound extends PriceRoundSchema.class {}
PriceRoundSchema.setClass(PriceRound);
