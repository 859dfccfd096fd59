import {
  type ChainClient,
  type ChainIdentity,
  ChainUnavailable,
  NodeBehind,
  NodeBusy,
  type NodeClient,
} from '../chain.js';
import type { NetworkProfile } from '../networks.js';
import { ForeignNode, type NodeHealth, type NodeReport } from './node-health.js';

/** Interval of the probes of a node that is not in use. */
const PROBE_EVERY_MS = 15_000;
/** A node whose head is this far below another node's head is stuck, not merely late. */
const LAG_MAX_MS = 30_000;
const LAG_MIN_BLOCKS = 5;

/** One node of a chain with its health. */
export interface ChainNode<Client extends NodeClient = ChainClient> {
  readonly client: Client;
  readonly health: NodeHealth;
}

/** Receives reports about the nodes, for logs and metrics. */
export interface NodeObserver {
  /** Called when the health of a node was updated. */
  learned(report: NodeReport): void;
  /** Called when steps are read from another node from now on. */
  failedOver(from: string, to: string): void;
}

/** The answer of one node. */
export interface Opinion<T> {
  readonly label: string;
  readonly answer: T;
}

export interface AskOptions {
  /** The node to leave out, because its answer is in question. */
  readonly except?: NodeClient;
  /** Verifies first that each node serves our chain, even if that was verified recently. */
  readonly isFresh?: boolean;
  /** Nodes that take longer are left out. */
  readonly withinMs?: number;
}

/** One node for the duration of one step. */
export interface NodeSession<Client extends NodeClient = ChainClient> {
  readonly label: string;
  readonly client: Client;
  /** True when no other node is configured. */
  readonly isAlone: boolean;
  /** True when a preferred node that still answers was skipped because it lags. Either of the two may be wrong. */
  readonly replacesLaggard: boolean;
  /** Verifies again that the node serves our chain. @throws ForeignNode */
  verify(): Promise<void>;
  /** @throws NodeBehind when another node has shown a head far above `head`, so that this node is stuck. */
  assertCaughtUp(head: number): void;
  /** Returns the answers of the other nodes, without those that answer null or fail. */
  askOthers<T>(
    question: (client: Client) => Promise<T | null>,
    options?: Omit<AskOptions, 'except'>,
  ): Promise<readonly Opinion<T>[]>;
}

/**
 * The nodes of one chain, the preferred first. A step reads head, headers and logs from one node; when that node fails, the
 * whole step starts again on the next. A failed node pauses for a growing time, and is used again once a probe in the
 * background has succeeded: a recovered node costs no step, and a hanging node costs one. A single node is always used.
 */
export class ChainNodes<Client extends NodeClient = ChainClient> {
  private active: ChainNode<Client> | null = null;
  private genesisHash: string | null = null;
  private readonly probing = new Set<ChainNode<Client>>();
  private closed = false;

  constructor(
    private readonly profile: Pick<NetworkProfile, 'environment' | 'network' | 'chainId' | 'blockIntervalMs'>,
    private readonly nodes: readonly [ChainNode<Client>, ...ChainNode<Client>[]],
    private readonly observer?: NodeObserver,
  ) {}

  /** The number of configured nodes, healthy or not. */
  get count(): number {
    return this.nodes.length;
  }

  /** Treats a node with another genesis as foreign from now on. The chain id comes from the profile. */
  expectGenesis({ genesisHash }: ChainIdentity): void {
    this.genesisHash = genesisHash;
    for (const { health } of this.nodes) health.forgetIdentity();
  }

  /**
   * Runs one step on the preferred healthy node, or on the next when it fails.
   * @throws ChainUnavailable of the last node when all failed; any other error of `step` at once.
   */
  async attempt<T>(step: (session: NodeSession<Client>) => Promise<T>): Promise<T> {
    const candidates = this.candidates();
    this.probeDueNodes(candidates[0]);
    let failure = new ChainUnavailable(`Every node of ${this.profile.network} limits our rate.`);
    for (const node of candidates) {
      try {
        return await this.use(node, step);
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /**
   * Returns the answers of the nodes to a question; null means that a node does not know, and is left out. Lagging nodes
   * are asked too: otherwise a node that claims a higher head would exclude all nodes that could contradict it.
   */
  async ask<T>(
    question: (client: Client) => Promise<T | null>,
    options: AskOptions = {},
  ): Promise<readonly Opinion<T>[]> {
    const asked = this.nodes.filter(({ client, health }) => client !== options.except && health.mayBeAsked);
    const opinions = asked.map((node) => inTime(this.opinionOf(node, question, options), options.withinMs));
    return (await Promise.all(opinions)).filter((opinion) => opinion !== null);
  }

  /** Returns the answer of the node in use, outside of a step; null when it does not know, or none is in use. */
  async askInUse<T>(question: (client: Client) => Promise<T | null>): Promise<T | null> {
    if (this.active === null || !this.active.health.mayBeAsked) return null;
    return (await this.opinionOf(this.active, question, {}))?.answer ?? null;
  }

  /** Returns whether it is worth waiting for another node than `client`'s. */
  othersMayAnswer(client: NodeClient): boolean {
    return this.nodes.some((node) => node.client !== client && node.health.mayRecoverSoon);
  }

  /** Calls `onHead` when the preferred node announces a block. This is a hint. */
  watchHeads(onHead: () => void): { close(): void } {
    return this.nodes[0].client.watchHeads(onHead);
  }

  reports(): readonly NodeReport[] {
    return this.nodes.map(({ health }) => health.report());
  }

  /** Closes every connection; requests in flight fail. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.nodes.map(({ client }) => client.close()));
  }

  /** Returns the healthy nodes in the order of preference, or else the node whose pause ends first. */
  private candidates(): readonly ChainNode<Client>[] {
    const willing = this.nodes.filter(({ health }) => !health.isBusy);
    const healthy = willing.filter(({ health }) => health.isHealthy);
    if (healthy.length > 0) return healthy;
    return willing.toSorted((a, b) => a.health.readyAtMs - b.health.readyAtMs).slice(0, 1);
  }

  private async use<T>(node: ChainNode<Client>, step: (session: NodeSession<Client>) => Promise<T>): Promise<T> {
    try {
      if (node !== this.active || !node.health.isVerified) await this.verify(node);
      const result = await step(this.sessionOn(node));
      node.health.succeeded(null);
      this.activate(node);
      return result;
    } catch (error) {
      if (error instanceof ChainUnavailable) this.fail(node, error);
      throw error;
    }
  }

  private sessionOn(node: ChainNode<Client>): NodeSession<Client> {
    return {
      label: node.health.label,
      client: node.client,
      isAlone: this.nodes.length === 1,
      replacesLaggard: this.nodes.slice(0, this.nodes.indexOf(node)).some(({ health }) => health.isBehind),
      verify: () => this.verify(node),
      assertCaughtUp: (head) => this.assertCaughtUp(node, head),
      askOthers: (question, options) => this.ask(question, { ...options, except: node.client }),
    };
  }

  private activate(node: ChainNode<Client>): void {
    const before = this.active;
    this.active = node;
    this.observer?.learned(node.health.report());
    if (before !== null && before !== node) this.observer?.failedOver(before.health.label, node.health.label);
  }

  private fail(node: ChainNode<Client>, error: ChainUnavailable): void {
    // A connection that we closed ourselves says nothing about the node.
    if (this.closed) return;
    node.health.failed(error);
    this.observer?.learned(node.health.report());
  }

  /** Checks the chain again, because an endpoint may have been pointed at another chain. */
  private async verify({ client, health }: ChainNode<Client>): Promise<void> {
    const found = await client.identity();
    const { environment, network, chainId } = this.profile;
    const isOurs = this.genesisHash === null || found.genesisHash === this.genesisHash;
    if (found.chainId !== chainId || !isOurs) {
      throw new ForeignNode(health.label, found, `the ${environment} chain of ${network} (${chainId})`);
    }
    health.verified();
  }

  private assertCaughtUp(node: ChainNode<Client>, head: number): void {
    const margin = Math.max(LAG_MIN_BLOCKS, Math.ceil(LAG_MAX_MS / this.profile.blockIntervalMs));
    for (const other of this.nodes) {
      const ahead = (other.health.headHeight ?? head) - head;
      if (other === node || ahead <= margin) continue;
      throw new NodeBehind(`${node.health.label} is ${ahead} blocks behind ${other.health.label}.`);
    }
  }

  private async opinionOf<T>(
    node: ChainNode<Client>,
    question: (client: Client) => Promise<T | null>,
    { isFresh = false }: AskOptions,
  ): Promise<Opinion<T> | null> {
    try {
      if (isFresh || !node.health.isVerified) await this.verify(node);
      const answer = await question(node.client);
      return answer === null ? null : { label: node.health.label, answer };
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      if (error instanceof ForeignNode || error instanceof NodeBusy) this.fail(node, error);
      // The node may just not have the block yet; a probe decides whether it is healthy.
      else this.startProbe(node);
      return null;
    }
  }

  /** Probes the nodes that are due, except the one that the next step uses and thereby tests. */
  private probeDueNodes(used: ChainNode<Client> | undefined): void {
    for (const node of this.nodes) {
      if (node !== used && node.health.isDueForProbe(PROBE_EVERY_MS)) this.startProbe(node);
    }
  }

  private startProbe(node: ChainNode<Client>): void {
    if (this.closed || this.probing.has(node)) return;
    this.probing.add(node);
    void this.probe(node).finally(() => this.probing.delete(node));
  }

  /** Checks whether the node is fit for use, and records it. Never throws. */
  private async probe(node: ChainNode<Client>): Promise<void> {
    const { client, health } = node;
    try {
      await this.verify(node);
      const head = await client.head();
      const held = await client.headerAt(head.height);
      if (held?.hash !== head.hash) {
        throw new ChainUnavailable(`${health.label} announces block ${head.height} but does not serve it.`);
      }
      this.assertCaughtUp(node, head.height);
      health.succeeded(head.height);
      this.observer?.learned(health.report());
    } catch (error) {
      const isNodes = error instanceof ChainUnavailable;
      this.fail(node, isNodes ? error : new ChainUnavailable(`${health.label} failed a probe.`, { cause: error }));
    }
  }
}

/** Returns the result of `work`, or null when that takes longer than `withinMs`. */
async function inTime<T>(work: Promise<T>, withinMs: number | undefined): Promise<T | null> {
  if (withinMs === undefined) return work;
  const timeUp = Promise.withResolvers<null>();
  const timer = setTimeout(() => timeUp.resolve(null), withinMs);
  try {
    return await Promise.race([work, timeUp.promise]);
  } finally {
    clearTimeout(timer);
  }
}
