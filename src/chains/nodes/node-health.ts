import { type BreakerState, CircuitBreaker, type Draw } from './circuit-breaker.js';
import { ChainUnavailable, type ChainIdentity, NodeBehind, NodeBusy } from '../chain.js';

/** How often a node in use is asked again which chain it serves. */
const IDENTITY_HOLDS_MS = 60_000;
/** The longest pause that a node is granted. */
const BUSY_MAX_MS = 60_000;
/** A node that fails for this long is no longer waited for. */
const OUT_FOR_GOOD_AFTER_MS = 60_000;
/** Share of the newest answer in the latency that is told. */
const LATENCY_WEIGHT = 0.2;

/** `foreign` serves another chain than ours, and is not believed in anything. */
export type NodeIdentity = 'unknown' | 'ours' | 'foreign';

/** How one node fares, for logs and metrics. */
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
}

/** The node answers, but for another chain. */
export class ForeignNode extends ChainUnavailable {
  constructor(label: string, found: ChainIdentity, expected: string) {
    super(`${label} serves another chain (${found.chainId}, genesis ${found.genesisHash}) than ${expected}.`);
    this.name = 'ForeignNode';
  }
}

/** What is known of one node: whether it is fit for use, since when, and why not. */
export class NodeHealth {
  private readonly breaker: CircuitBreaker;
  private identity: NodeIdentity = 'unknown';
  private verifiedAtMs = -Infinity;
  private heardAtMs = -Infinity;
  private busyUntilMs = -Infinity;
  /** Null while it is in order. */
  private outSinceMs: number | null = null;
  private latencyMs: number | null = null;
  private lastError: string | null = null;
  private hasLagged = false;
  /** Its newest block, as far as it has shown that it holds it; null while it is not in order. */
  private provenHead: number | null = null;

  constructor(
    readonly label: string,
    private readonly now: () => number = () => performance.now(),
    draw?: Draw,
  ) {
    this.breaker = new CircuitBreaker(draw);
  }

  /** One HTTP request was answered. */
  answered(durationMs: number): void {
    this.latencyMs =
      this.latencyMs === null ? durationMs : this.latencyMs + LATENCY_WEIGHT * (durationMs - this.latencyMs);
  }

  /** It served a step, or passed a probe. */
  succeeded(provenHead: number | null): void {
    this.heardAtMs = this.now();
    this.outSinceMs = null;
    this.hasLagged = false;
    this.provenHead = provenHead ?? this.provenHead;
    this.breaker.succeed(this.now());
  }

  failed(error: ChainUnavailable): void {
    const pauseMs = error instanceof NodeBusy ? error.retryAfterMs : 0;
    this.heardAtMs = this.now();
    this.busyUntilMs = this.now() + Math.min(pauseMs, BUSY_MAX_MS);
    this.outSinceMs ??= this.now();
    this.lastError = error.message;
    this.hasLagged = error instanceof NodeBehind;
    this.provenHead = null;
    // Whatever answers at that address after a failure may be another node.
    this.forgetIdentity();
    if (error instanceof ForeignNode) this.identity = 'foreign';
    this.breaker.fail(this.now(), pauseMs);
  }

  /** It serves our chain. */
  verified(): void {
    this.identity = 'ours';
    this.verifiedAtMs = this.now();
  }

  /** It is to be asked anew which chain it serves. */
  forgetIdentity(): void {
    this.verifiedAtMs = -Infinity;
  }

  get isVerified(): boolean {
    return this.identity === 'ours' && this.now() - this.verifiedAtMs < IDENTITY_HOLDS_MS;
  }

  get isHealthy(): boolean {
    return this.breaker.state(this.now()) === 'closed';
  }

  /** It is not used, for no other reason than that it lagged when it was last looked at. */
  get isBehind(): boolean {
    return this.hasLagged;
  }

  /** Whether its word counts and is worth waiting for. */
  get mayBeAsked(): boolean {
    return this.isHealthy || this.isBehind;
  }

  /** It is in order, or was a minute ago and may be again soon. */
  get mayRecoverSoon(): boolean {
    if (this.identity === 'foreign') return false;
    return this.outSinceMs === null || this.now() - this.outSinceMs < OUT_FOR_GOOD_AFTER_MS;
  }

  /** It asked to be left alone for a while. */
  get isBusy(): boolean {
    return this.now() < this.busyUntilMs;
  }

  /** When it may be tried again. */
  get readyAtMs(): number {
    return this.breaker.readyAtMs;
  }

  get headHeight(): number | null {
    return this.provenHead;
  }

  /** Whether to look after it: it may be back, or nothing was heard of it for `quietMs`. */
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
    };
  }
}
