import { setTimeout as sleep } from 'node:timers/promises';

const SECOND_MS = 1_000;

/** Spaces the requests to one node evenly, so that it gets no more than so many in a second. */
export class RequestRate {
  /** When the next request may be sent (monotonic). */
  private freeAtMs = 0;

  constructor(readonly perSecond: number) {}

  /** Waits until so many requests may be sent. Callers are served in their order. @throws AbortError at the signal */
  async turn(requests: number, signal: AbortSignal): Promise<void> {
    const nowMs = performance.now();
    const startsAtMs = Math.max(nowMs, this.freeAtMs);
    this.freeAtMs = startsAtMs + (requests * SECOND_MS) / this.perSecond;
    // Timers cut off fractions of a millisecond, and the request would be early.
    if (startsAtMs > nowMs) await sleep(Math.ceil(startsAtMs - nowMs), undefined, { signal });
  }
}

/** The rates of nodes by their URLs: all clients of this process share that of a node. */
export class RequestRates {
  private readonly byUrl = new Map<string, RequestRate>();

  constructor(private readonly perSecond: number) {}

  of(url: string): RequestRate {
    const rate = this.byUrl.get(url) ?? new RequestRate(this.perSecond);
    this.byUrl.set(url, rate);
    return rate;
  }
}
