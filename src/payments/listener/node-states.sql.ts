import { RpcNode } from '../../offers/rpc-node.entity.js';
import { given, unnest } from '../../platform/sql/given.js';
import { cte, define } from '../../platform/sql/relation.js';
import { sql } from '../../platform/sql/sql.js';
import { columns, set, table } from '../../platform/sql/table.js';

const node = table(RpcNode);
const reported = table(RpcNode, 'excluded');
const found = given('found', {
  chainRef: 'text',
  node: 'text',
  preference: 'int',
  isUp: 'boolean',
  isForeign: 'boolean',
  latencyMs: 'int',
  recentSteps: 'int',
  recentFailures: 'int',
  lastError: 'text',
});
const configured = given('configured', { chainRef: 'text', node: 'text' });

/** A node as it is now. */
type FoundNode = Omit<RpcNode, 'reportedAt'>;

const deleteOthers = (nodes: readonly FoundNode[]) => sql`
  delete from ${node}
   where ${node.chainRef} = any(${nodes.map(({ chainRef }) => chainRef)})
     and not exists (select from ${unnest(configured, nodes)}
                      where ${configured.chainRef} = ${node.chainRef} and ${configured.node} = ${node.node})`;

/** Stores the nodes of chains, and deletes those of these chains that are no longer configured. */
export const storeNodes = (nodes: readonly FoundNode[]) => sql`
  with ${define(cte('forgotten', deleteOthers(nodes)))}
  insert into ${node} ${columns(node, 'chainRef', 'node', 'preference', 'isUp', 'isForeign', 'latencyMs', 'recentSteps', 'recentFailures', 'lastError')}
  select ${found.chainRef}, ${found.node}, ${found.preference}, ${found.isUp}, ${found.isForeign}, ${found.latencyMs},
         ${found.recentSteps}, ${found.recentFailures}, ${found.lastError}
    from ${unnest(found, nodes)}
  on conflict ${columns(node, 'chainRef', 'node')} do update
    set ${set(node, {
      preference: reported.preference,
      isUp: reported.isUp,
      isForeign: reported.isForeign,
      latencyMs: reported.latencyMs,
      recentSteps: reported.recentSteps,
      recentFailures: reported.recentFailures,
      lastError: reported.lastError,
      reportedAt: sql`now()`,
    })}`;
