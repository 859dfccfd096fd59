import { defineEntity, p } from '@mikro-orm/core';

const RpcNodeSchema = defineEntity({
  name: 'RpcNode',
  tableName: 'rpc_node',
  properties: {
    chainRef: p.text().primary(),
    /** Scheme, host and port; never a key. */
    node: p.text().primary(),
    /** Its place in the order in which nodes are tried, from 0. */
    preference: p.integer(),
    isUp: p.boolean(),
    /** It serves another chain. */
    isForeign: p.boolean(),
    /** Moving average of the time to answer one HTTP request; null before its first answer. */
    latencyMs: p.integer().strictNullable(),
    /** Its last steps and probes, up to 100, and how many of them failed. */
    recentSteps: p.integer(),
    recentFailures: p.integer(),
    lastError: p.text().strictNullable(),
    reportedAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** A node of a chain, as the process that reads the chain has found it. */
export class RpcNode extends RpcNodeSchema.class {}
RpcNodeSchema.setClass(RpcNode);
