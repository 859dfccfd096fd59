import type { Environment } from '../domain/network.js';
import { Lease } from '../platform/lease.entity.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { ChainCursor } from './chain-cursor.entity.js';
import { Chain } from './chain.entity.js';
import { RpcNode } from './rpc-node.entity.js';

const chain = table(Chain);
const cursor = table(ChainCursor);
const lease = table(Lease);
const node = table(RpcNode);

/** Reads the cursors of the active chains of an environment, and whether some process reads each of them. */
export const cursorsOf = (environment: Environment) => sql`
  select ${out(cursor, 'chainRef', 'hash', 'blockTime', 'syncedAt', 'pausedAt', 'pausedBy', 'pausedReason', 'reorgAt', 'reorgFrom', 'reorgTo')},
         exists (select from ${lease} where ${lease.name} = 'listener:' || ${chain.id} and ${lease.expiresAt} > now())
           ${as.boolean('isListening')}
    from ${chain} join ${cursor} on ${cursor.chainRef} = ${chain.id}
   where ${chain.active} and ${chain.environment} = ${environment}`;

/** Reads the nodes of the active chains of an environment in the order in which they are tried. */
export const nodesOf = (environment: Environment) => sql`
  select ${out(node, 'chainRef', 'node', 'isUp', 'isForeign', 'latencyMs', 'recentSteps', 'recentFailures', 'lastError', 'reportedAt')}
    from ${node} join ${chain} on ${chain.id} = ${node.chainRef} and ${chain.active}
   where ${chain.environment} = ${environment} order by ${node.chainRef}, ${node.preference}`;
