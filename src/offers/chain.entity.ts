import { defineEntity, p } from '@mikro-orm/core';
import type { AddressFamily, Environment, Network } from '../domain/network.js';
const ChainSchema = defineEntity({
  name: 'Chain',
  tableName: 'chain',
  properties: {
    id: p.text().primary(),
    environment: p.text().$type<Environment>(),
    network: p.text().$type<Network>(),
    family: p.text().$type<AddressFamily>(),
    chainId: p.text(),
    genesisHash: p.text(),
    confirmations: p.integer(),
    quietGraceMs: p.integer().strictNullable(),
    active: p.boolean(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** One chain: environment, network, chain id and genesis hash. Every chain-side row refers to it, never to a network's name alone. */
export class Chain extends ChainSchema.class {}
ChainSchema.setClass(Chain);
