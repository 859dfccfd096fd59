import { type BreakerState, CircuitBreaker, type Draw } from './circuit-breaker.js';
import { ChainUnavailable, type ChainIdentity, NodeBehind, NodeBusy } from '../chain.js';

/** Interval at which the identity of a node in use is verified again. */
const IDENTITY_HOLDS_MS = 60_000;
/** The longest pause that we grant a node. */
const BUSY_MAX_MS = 60_000;
/** After failing for this long, a node is not waited for any more. */
const OUT_FOR_GOOD_AFTER_MS = 60_000;
/** The steps and probes that the error rate is about. */
const RECENT_STEPS = 100;
/** Weight of the newest answer in the reported latency. */
const LATENCY_WEIGHT = 0.2;

/** A `foreign` node serves another chain than ours; all its answers are ignored. */
export type NodeIdentity = 'unknown' | 'ours' | 'foreign';

/** The state of one node, for logs and metrics. */
export interface NodeReport {
  /** Scheme, host and port; never a key. */
  readonly label: string;
  readonly breaker: BreakerState;
  readonly consecutiveFailures: number;
  /** Why it failed last; null before its first failure. */
  readonly lastError: string | null;
  /** Moving average of the time to answer one HTTP request; null before its first answer. */
  readonly latencyMs: number | null;
  readonly identity: NodeIdentity;
  /** Its last steps and probes, up to 100, and how many of them failed. */
  readonly recent: { readonly steps: number; readonly failures: number };
}

/** The node serves another chain than ours. */
export class ForeignNode extends ChainUnavailable {
  constructor(label: string, found: ChainIdentity, expected: string) {
    super(`${label} serves another chain (${found.chainId}, genesis ${found.genesisHash}) than ${expected}.`);
    this.name = 'ForeignNode';
  }
}

/** The health of one node: whether it can be used, since when, and why not. */
export class NodeHealth {
  private readonly breaker: CircuitBreaker;
  private identity: NodeIdentity = 'unknown';
  private verifiedAtMs = -Infinity;
  private heardAtMs = -Infinity;
  private busyUntilMs = -Infinity;
  /** Null while it is healthy. */
  private outSinceMs: number | null = null;
  private latencyMs: number | null = null;
  private lastError: string | null = null;
  private hasLagged = false;
  /** Whether each of its last steps and probes failed, the oldest first. */
  private readonly recent: boolean[] = [];
  /** The newest block that it has proven to have; null while it is not healthy. */
  private provenHead: number | null = null;

  constructor(
    readonly label: string,
    private readonly now: () => number = () => performance.now(),
    draw?: Draw,
  ) {
    this.breaker = new CircuitBreaker(draw);
  }

  /** Records that one HTTP request was answered. */
  answered(durationMs: number): void {
    this.latencyMs =
      this.latencyMs === null ? durationMs : this.latencyMs + LATENCY_WEIGHT * (durationMs - this.latencyMs);
  }

  /** Records that it served a step, or passed a probe. */
  succeeded(provenHead: number | null): void {
    this.remember(false);
    this.heardAtMs = this.now();
    this.outSinceMs = null;
    this.hasLagged = false;
    this.provenHead = provenHead ?? this.provenHead;
    this.breaker.succeed(this.now());
  }

  failed(error: ChainUnavailable): void {
    this.remember(true);
    const pauseMs = error instanceof NodeBusy ? error.retryAfterMs : 0;
    this.heardAtMs = this.now();
    this.busyUntilMs = this.now() + Math.min(pauseMs, BUSY_MAX_MS);
    this.outSinceMs ??= this.now();
    this.lastError = error.message;
    this.hasLagged = error instanceof NodeBehind;
    this.provenHead = null;
    // After a failure, another node may answer at that address.
    this.forgetIdentity();
    if (error instanceof ForeignNode) this.identity = 'foreign';
    this.breaker.fail(this.now(), pauseMs);
  }

  /** Records that it serves our chain. */
  verified(): void {
    this.identity = 'ours';
    this.verifiedAtMs = this.now();
  }

  /** Requires its identity to be verified again. */
  forgetIdentity(): void {
    this.verifiedAtMs = -Infinity;
  }

  get isVerified(): boolean {
    return this.identity === 'ours' && this.now() - this.verifiedAtMs < IDENTITY_HOLDS_MS;
  }

  get isHealthy(): boolean {
    return this.breaker.state(this.now()) === 'closed';
  }

  /** True when its last failure was that it lagged. */
  get isBehind(): boolean {
    return this.hasLagged;
  }

  /** True when its answers count and are worth waiting for. */
  get mayBeAsked(): boolean {
    return this.isHealthy || this.isBehind;
  }

  /** True when it is healthy, or was within the last minute and may recover soon. */
  get mayRecoverSoon(): boolean {
    if (this.identity === 'foreign') return false;
    return this.outSinceMs === null || this.now() - this.outSinceMs < OUT_FOR_GOOD_AFTER_MS;
  }

  /** True while it limits our rate. */
  get isBusy(): boolean {
    return this.now() < this.busyUntilMs;
  }

  /** The time from which it may be tried again. */
  get readyAtMs(): number {
    return this.breaker.readyAtMs;
  }

  get headHeight(): number | null {
    return this.provenHead;
  }

  /** Returns whether to probe it: its pause has passed, or it has not been used for `quietMs`. */
  isDueForProbe(quietMs: number): boolean {
    const state = this.breaker.state(this.now());
    return state === 'half_open' || (state === 'closed' && this.now() - this.heardAtMs >= quietMs);
  }

  report(): NodeReport {
    return {
      label: this.label,
      breaker: this.breaker.state(this.now()),
      consecutiveFailures: this.breaker.consecutiveFailures,
      lastError: this.lastError,
      latencyMs: this.latencyMs === null ? null : Math.round(this.latencyMs),
      identity: this.identity,
      recent: { steps: this.recent.length, failures: this.recent.filter((hasFailed) => hasFailed).length },
    };
  }

  private remember(hasFailed: boolean): void {
    this.recent.push(hasFailed);
    if (this.recent.length > RECENT_STEPS) this.recent.shift();
  }
}
