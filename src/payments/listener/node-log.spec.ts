import pino from 'pino';
import type { NodeReport } from '../../chains/nodes/node-health.js';
import { Metrics } from '../../platform/metrics.js';
import { nodeLog } from './node-log.js';

const LABEL = 'https://node.example';
const WELL: NodeReport = {
  label: LABEL,
  breaker: 'closed',
  consecutiveFailures: 0,
  lastError: null,
  latencyMs: 40,
  identity: 'ours',
  recent: { steps: 4, failures: 1 },
};
const DOWN: NodeReport = { ...WELL, breaker: 'open', lastError: 'it did not answer' };
const FOREIGN: NodeReport = { ...DOWN, identity: 'foreign', lastError: 'it serves chain 1' };

describe('nodeLog', () => {
  let metrics: Metrics;
  let lines: { readonly level: number; readonly msg: string; readonly reason?: string }[];

  const observer = () => {
    lines = [];
    metrics = new Metrics();
    const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
    return nodeLog({ environment: 'live', network: 'polygon' }, logger, metrics.nodes);
  };

  it('logs each change once: a failure, another chain as an error, and that the node works again', () => {
    const nodes = observer();
    for (const report of [WELL, WELL, DOWN, DOWN, FOREIGN, FOREIGN, WELL]) nodes.learned(report);
    nodes.failedOver(LABEL, 'https://other.example');
    expect(lines.map(({ level, msg, reason }) => [level, msg, reason])).toEqual([
      [40, 'A node fails.', 'it did not answer'],
      [50, 'A node serves another chain and is not used.', 'it serves chain 1'],
      [30, 'A node works again.', undefined],
      [40, 'The chain is read from another node.', undefined],
    ]);
  });

  it('keeps the present in the metrics', async () => {
    const nodes = observer();
    nodes.learned(FOREIGN);
    nodes.failedOver(LABEL, 'https://other.example');
    const text = await metrics.registry.metrics();
    const labels = `{environment="live",network="polygon",node="${LABEL}"}`;
    expect(text).toContain(`coffer_rpc_node_up${labels} 0`);
    expect(text).toContain(`coffer_rpc_node_breaker${labels} 2`);
    expect(text).toContain(`coffer_rpc_node_foreign${labels} 1`);
    expect(text).toContain(`coffer_rpc_node_latency_seconds${labels} 0.04`);
    expect(text).toContain('coffer_rpc_failovers_total{environment="live",network="polygon"} 1');
  });
});
