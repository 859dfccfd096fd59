import { type ChainClient, type ChainIdentity, ChainUnavailable, NodeBehind, NodeBusy } from '../chain.js';
import type { NetworkProfile } from '../networks.js';
import { ForeignNode, type NodeHealth, type NodeReport } from './node-health.js';

/** A node that is not in use shows this often that it is fit for it. */
const PROBE_EVERY_MS = 15_000;
/** A head that lies this far below another node's is stuck, not merely late. */
const LAG_MAX_MS = 30_000;
const LAG_MIN_BLOCKS = 5;

/** One node of a chain and what is known of it. */
export interface ChainNode {
  readonly client: ChainClient;
  readonly health: NodeHealth;
}

/** Whoever watches the nodes: for logs and metrics. */
export interface NodeObserver {
  /** Something was learned about a node. */
  learned(report: NodeReport): void;
  /** Steps are read from another node from here on. */
  failedOver(from: string, to: string): void;
}

/** What one node says. */
export interface Opinion<T> {
  readonly label: string;
  readonly answer: T;
}

export interface AskOptions {
  /** Left out, since its word is what is questioned. */
  readonly except?: ChainClient;
  /** Asks each node first which chain it serves, even if it told a moment ago. */
  readonly isFresh?: boolean;
  /** A node that takes longer has no opinion. */
  readonly withinMs?: number;
}

/** One node for the length of one step. */
export interface NodeSession {
  readonly label: string;
  readonly client: ChainClient;
  /** True when no other node is configured. */
  readonly isAlone: boolean;
  /** True when a preferred node was left because it lags, and answers all the same: which of the two lies, nobody knows. */
  readonly replacesLaggard: boolean;
  /** Asks the node again which chain it serves. @throws ForeignNode */
  verify(): Promise<void>;
  /** @throws NodeBehind when another node has shown a head far above `head`: this one is stuck. */
  expectLevel(head: number): void;
  /** What the other nodes that answer say; those that do not know are left out. */
  askOthers<T>(
    question: (client: ChainClient) => Promise<T | null>,
    options?: Omit<AskOptions, 'except'>,
  ): Promise<readonly Opinion<T>[]>;
}

/**
 * The nodes of one chain, the preferred first. What belongs together (head, headers, logs) is read as one step from one
 * node; when that node fails, the whole step is begun again on the next. A node that failed is left alone for a growing
 * while, and used again once a probe beside the steps has found it well: so one that is back costs no step, and one that
 * hangs costs one. With a single node there is nothing to turn to, so it is simply asked.
 */
export class ChainNodes {
  private active: ChainNode | null = null;
  private genesisHash: string | null = null;
  private readonly probing = new Set<ChainNode>();
  private closed = false;

  constructor(
    private readonly profile: Pick<NetworkProfile, 'environment' | 'network' | 'chainId' | 'blockIntervalMs'>,
    private readonly nodes: readonly [ChainNode, ...ChainNode[]],
    private readonly observer?: NodeObserver,
  ) {}

  /** How many nodes are configured, healthy or not. */
  get count(): number {
    return this.nodes.length;
  }

  /** From here on, a node with another genesis is foreign. The chain id is known from the start. */
  expectGenesis({ genesisHash }: ChainIdentity): void {
    this.genesisHash = genesisHash;
    for (const { health } of this.nodes) health.forgetIdentity();
  }

  /**
   * Takes one step on the preferred healthy node, or on the next when it fails.
   * @throws ChainUnavailable of the last node when none could serve; any other error of `step` at once.
   */
  async attempt<T>(step: (session: NodeSession) => Promise<T>): Promise<T> {
    const candidates = this.candidates();
    this.probeDueNodes(candidates[0]);
    let failure = new ChainUnavailable(`Every node of ${this.profile.network} asked to be left alone for a while.`);
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
   * What the nodes say to a question whose answer may be null: not known. Those that merely lag have their say too, else
   * a node that claims a higher head would silence all that could contradict it.
   */
  async ask<T>(
    question: (client: ChainClient) => Promise<T | null>,
    options: AskOptions = {},
  ): Promise<readonly Opinion<T>[]> {
    const asked = this.nodes.filter(({ client, health }) => client !== options.except && health.mayBeAsked);
    const opinions = asked.map((node) => inTime(this.opinionOf(node, question, options), options.withinMs));
    return (await Promise.all(opinions)).filter((opinion) => opinion !== null);
  }

  /** What the node in use says to a question beside the steps; null when it does not know, or none is in use. */
  async askInUse<T>(question: (client: ChainClient) => Promise<T | null>): Promise<T | null> {
    if (this.active === null || !this.active.health.mayBeAsked) return null;
    return (await this.opinionOf(this.active, question, {}))?.answer ?? null;
  }

  /** Whether another node than `client`'s is worth waiting for. */
  othersMayAnswer(client: ChainClient): boolean {
    return this.nodes.some((node) => node.client !== client && node.health.mayRecoverSoon);
  }

  /** Calls `onHead` when the preferred node announces a block. A hint only. */
  watchHeads(onHead: () => void): { close(): void } {
    return this.nodes[0].client.watchHeads(onHead);
  }

  reports(): readonly NodeReport[] {
    return this.nodes.map(({ health }) => health.report());
  }

  /** Lets go of every connection; what is under way fails. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.nodes.map(({ client }) => client.close()));
  }

  /** Healthy nodes in the order of preference; when there is none, the one whose time comes first is tried all the same. */
  private candidates(): readonly ChainNode[] {
    const willing = this.nodes.filter(({ health }) => !health.isBusy);
    const healthy = willing.filter(({ health }) => health.isHealthy);
    if (healthy.length > 0) return healthy;
    return willing.toSorted((a, b) => a.health.readyAtMs - b.health.readyAtMs).slice(0, 1);
  }

  private async use<T>(node: ChainNode, step: (session: NodeSession) => Promise<T>): Promise<T> {
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

  private sessionOn(node: ChainNode): NodeSession {
    return {
      label: node.health.label,
      client: node.client,
      isAlone: this.nodes.length === 1,
      replacesLaggard: this.nodes.slice(0, this.nodes.indexOf(node)).some(({ health }) => health.isBehind),
      verify: () => this.verify(node),
      expectLevel: (head) => this.expectLevel(node, head),
      askOthers: (question, options) => this.ask(question, { ...options, except: node.client }),
    };
  }

  private activate(node: ChainNode): void {
    const before = this.active;
    this.active = node;
    this.observer?.learned(node.health.report());
    if (before !== null && before !== node) this.observer?.failedOver(before.health.label, node.health.label);
  }

  private fail(node: ChainNode, error: ChainUnavailable): void {
    // A connection that we cut ourselves says nothing about the node.
    if (this.closed) return;
    node.health.failed(error);
    this.observer?.learned(node.health.report());
  }

  /** An endpoint that was pointed at another chain meanwhile must not be believed. */
  private async verify({ client, health }: ChainNode): Promise<void> {
    const found = await client.identity();
    const { environment, network, chainId } = this.profile;
    const isOurs = this.genesisHash === null || found.genesisHash === this.genesisHash;
    if (found.chainId !== chainId || !isOurs) {
      throw new ForeignNode(health.label, found, `the ${environment} chain of ${network} (${chainId})`);
    }
    health.verified();
  }

  private expectLevel(node: ChainNode, head: number): void {
    const margin = Math.max(LAG_MIN_BLOCKS, Math.ceil(LAG_MAX_MS / this.profile.blockIntervalMs));
    for (const other of this.nodes) {
      const ahead = (other.health.headHeight ?? head) - head;
      if (other === node || ahead <= margin) continue;
      throw new NodeBehind(`${node.health.label} is ${ahead} blocks behind ${other.health.label}.`);
    }
  }

  private async opinionOf<T>(
    node: ChainNode,
    question: (client: ChainClient) => Promise<T | null>,
    { isFresh = false }: AskOptions,
  ): Promise<Opinion<T> | null> {
    try {
      if (isFresh || !node.health.isVerified) await this.verify(node);
      const answer = await question(node.client);
      return answer === null ? null : { label: node.health.label, answer };
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      if (error instanceof ForeignNode || error instanceof NodeBusy) this.fail(node, error);
      // It may merely lack the block that was asked about: whether it is well is for a probe to say.
      else this.startProbe(node);
      return null;
    }
  }

  /** The step that begins tells how the node fares that is used for it. */
  private probeDueNodes(used: ChainNode | undefined): void {
    for (const node of this.nodes) {
      if (node !== used && node.health.isDueForProbe(PROBE_EVERY_MS)) this.startProbe(node);
    }
  }

  private startProbe(node: ChainNode): void {
    if (this.closed || this.probing.has(node)) return;
    this.probing.add(node);
    void this.probe(node).finally(() => this.probing.delete(node));
  }

  /** Whether the node is fit for use. Never throws. */
  private async probe(node: ChainNode): Promise<void> {
    const { client, health } = node;
    try {
      await this.verify(node);
      const head = await client.head();
      const held = await client.headerAt(head.height);
      if (held?.hash !== head.hash) {
        throw new ChainUnavailable(`${health.label} announces block ${head.height} and does not hold it.`);
      }
      this.expectLevel(node, head.height);
      health.succeeded(head.height);
      this.observer?.learned(health.report());
    } catch (error) {
      const isNodes = error instanceof ChainUnavailable;
      this.fail(node, isNodes ? error : new ChainUnavailable(`${health.label} failed a probe.`, { cause: error }));
    }
  }
}

/** What `work` gives, or null when that takes longer than `withinMs`. */
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
