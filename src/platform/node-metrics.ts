import { Counter, Gauge, type Registry } from 'prom-client';

/** The labels of a node; `node` is its scheme, host and port, without a key. */
export interface NodeName {
  readonly environment: string;
  readonly network: string;
  readonly node: string;
}

/** The health of a node. */
export interface NodeState {
  readonly breaker: 'closed' | 'open' | 'half_open';
  readonly isForeign: boolean;
  readonly latencyMs: number | null;
}

const BREAKER_VALUE = { closed: 0, half_open: 1, open: 2 } as const;
const NODE_LABELS = ['environment', 'network', 'node'] as const;

/** Metrics of the nodes of the chains that this process reads, and of their disagreements. */
export class NodeMetrics {
  private readonly up: Gauge<'environment' | 'network' | 'node'>;
  private readonly breaker: Gauge<'environment' | 'network' | 'node'>;
  private readonly foreign: Gauge<'environment' | 'network' | 'node'>;
  private readonly latency: Gauge<'environment' | 'network' | 'node'>;
  private readonly failovers: Counter<'environment' | 'network'>;
  private readonly doubt: Gauge<'chain'>;
  private readonly denials: Counter<'chain'>;

  constructor(registry: Registry) {
    const gauge = (name: string, help: string) =>
      new Gauge({ name, help, labelNames: NODE_LABELS, registers: [registry] });
    this.up = gauge('coffer_rpc_node_up', '1 while the node may be used, else 0.');
    this.breaker = gauge('coffer_rpc_node_breaker', 'The circuit breaker: 0 closed, 1 half open, 2 open.');
    this.foreign = gauge('coffer_rpc_node_foreign', '1 while the node serves another chain, else 0.');
    this.latency = gauge('coffer_rpc_node_latency_seconds', 'Moving average of the time to answer one HTTP request.');
    this.failovers = new Counter({
      name: 'coffer_rpc_failovers_total',
      help: 'Switches to another node of the network.',
      labelNames: ['environment', 'network'],
      registers: [registry],
    });
    this.doubt = new Gauge({
      name: 'coffer_finality_in_doubt',
      help: '1 while nodes disagree on a final block and nothing becomes final, else 0.',
      labelNames: ['chain'],
      registers: [registry],
    });
    this.denials = new Counter({
      name: 'coffer_deposit_denials_total',
      help: 'Deposits that one node reported and another one denied.',
      labelNames: ['chain'],
      registers: [registry],
    });
  }

  learned({ environment, network, node }: NodeName, { breaker, isForeign, latencyMs }: NodeState): void {
    const labels = { environment, network, node };
    this.up.set(labels, breaker === 'closed' ? 1 : 0);
    this.breaker.set(labels, BREAKER_VALUE[breaker]);
    this.foreign.set(labels, isForeign ? 1 : 0);
    if (latencyMs !== null) this.latency.set(labels, latencyMs / 1000);
  }

  failedOver(environment: string, network: string): void {
    this.failovers.inc({ environment, network });
  }

  setDoubt(chain: string, isInDoubt: boolean): void {
    this.doubt.set({ chain }, isInDoubt ? 1 : 0);
  }

  denied(chain: string, count: number): void {
    this.denials.inc({ chain }, count);
  }

  /** Removes the series of a chain that this process no longer leads. */
  forget(chain: string): void {
    this.doubt.remove({ chain });
  }
}
