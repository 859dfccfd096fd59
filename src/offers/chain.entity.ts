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
    /** Blocks required on top of a payment's block. */
    confirmations: p.integer(),
    /** How long to wait for a silent node before its silence counts; null = never, it must show a later block. */
    quietGraceMs: p.integer().strictNullable(),
    /** False once another chain replaced it: no listener reads it any more. */
    active: p.boolean(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** One chain: environment, network, chain id and genesis hash. Rows of a chain refer to it, never to a network's name alone. */
export class Chain extends ChainSchema.class {}
ChainSchema.setClass(Chain);
