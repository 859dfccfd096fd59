import { RpcNode } from '../../offers/rpc-node.entity.js';
import { given, unnest } from '../../platform/sql/given.js';
import { sql } from '../../platform/sql/sql.js';
import { columns, set, table } from '../../platform/sql/table.js';

const node = table(RpcNode);
const reported = table(RpcNode, 'excluded');
const found = given('found', {
  node: 'text',
  preference: 'int',
  isUp: 'boolean',
  isForeign: 'boolean',
  latencyMs: 'int',
  recentSteps: 'int',
  recentFailures: 'int',
  lastError: 'text',
});

/** A node as it is now. */
type FoundNode = Omit<RpcNode, 'chainRef' | 'reportedAt'>;

/** Stores the nodes of a chain. */
export const storeNodes = (chainRef: string, nodes: readonly FoundNode[]) => sql`
  insert into ${node} ${columns(node, 'chainRef', 'node', 'preference', 'isUp', 'isForeign', 'latencyMs', 'recentSteps', 'recentFailures', 'lastError')}
  select ${chainRef}, ${found.node}, ${found.preference}, ${found.isUp}, ${found.isForeign}, ${found.latencyMs},
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

/** Forgets the nodes of a chain that are configured no longer. */
export const forgetOtherNodes = (chainRef: string, configured: readonly string[]) => sql`
  delete from ${node} where ${node.chainRef} = ${chainRef} and not ${node.node} = any(${configured})`;
