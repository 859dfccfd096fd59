import type { Logger } from 'pino';
import type { NodeClient } from '../../chains/chain.js';
import type { NetworkProfile } from '../../chains/networks.js';
import type { ChainNodes } from '../../chains/nodes/chain-nodes.js';
import type { NodeReport } from '../../chains/nodes/node-health.js';
import type { Database } from '../../platform/database/database.js';
import type { HeldLease } from '../../platform/leases.js';
import type { ChainLag } from '../../platform/metrics.js';

/** The chain that a listener reads, the nodes it reads through, and its callbacks. */
export interface ListenerOptions<Client extends NodeClient> {
  readonly chainRef: string;
  readonly profile: NetworkProfile;
  readonly nodes: ChainNodes<Client>;
  /** Deposits worth this many fiat minor units or more need reports of two nodes; ignored where there is only one. */
  readonly secondNodeAboveCents: number;
  readonly database: Database;
  readonly lease: HeldLease;
  readonly logger: Logger;
  /** Called with the intents whose facts changed, after they are committed. */
  readonly onTouched: (intentIds: readonly string[]) => void;
  readonly onProgress: (lag: ChainLag) => void;
  /** Called with each step: whether nodes disagree on a final block. */
  readonly onDoubt: (isInDoubt: boolean) => void;
  /** Called for each step that is not made because staff paused the listener. */
  readonly onPaused: () => void;
  /** Called when a node denies deposits that another one reported. */
  readonly onDenied: (count: number) => void;
}

/** A listener of one chain, while its process leads it. */
export interface Listener {
  /** Brings the next step forward. */
  nudge(): void;
  /** The health of its nodes, the preferred first. */
  nodeReports(): readonly NodeReport[];
  /** Ends after the step that is under way. */
  stop(): Promise<void>;
}
