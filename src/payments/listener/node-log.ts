import type { Logger } from 'pino';
import type { NodeObserver } from '../../chains/nodes/chain-nodes.js';
import type { NetworkProfile } from '../../chains/networks.js';
import type { NodeReport } from '../../chains/nodes/node-health.js';
import type { NodeMetrics } from '../../platform/node-metrics.js';

/** Logs each change in the state of a node, and sets the metrics of the nodes. */
export function nodeLog(
  { environment, network }: Pick<NetworkProfile, 'environment' | 'network'>,
  logger: Logger,
  metrics: NodeMetrics,
): NodeObserver {
  const states = new Map<string, string>();
  return {
    learned: (report) => {
      const { label: node, breaker, identity, latencyMs } = report;
      metrics.learned({ environment, network, node }, { breaker, isForeign: identity === 'foreign', latencyMs });
      const [before = 'up', state] = [states.get(node), stateOf(report)];
      states.set(node, state);
      if (state === before) return;
      const facts = { environment, network, node };
      if (state === 'foreign')
        logger.error({ ...facts, reason: report.lastError }, 'A node serves another chain and is not used.');
      else if (state === 'down') logger.warn({ ...facts, reason: report.lastError }, 'A node fails.');
      else logger.info(facts, 'A node works again.');
    },
    failedOver: (from, to) => {
      metrics.failedOver(environment, network);
      logger.warn({ environment, network, from, to }, 'The chain is read from another node.');
    },
  };
}

function stateOf({ breaker, identity }: NodeReport): 'up' | 'down' | 'foreign' {
  if (identity === 'foreign') return 'foreign';
  return breaker === 'closed' ? 'up' : 'down';
}
