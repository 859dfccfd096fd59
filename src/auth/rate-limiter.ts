import { Database } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { type Buckets, drawTokens, keyBuckets, openBucket } from './rate-buckets.sql.js';

/** A token bucket: `burst` tokens when full, filled again at `perSecond`. Every request takes one. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** The decision about one request. */
export interface RateDecision {
  readonly admitted: boolean;
  /** Remaining tokens; other processes may take them. */
  readonly remaining: number;
  /** Whole seconds until the bucket is full again; for a refused request, until there is a token. */
  readonly resetSeconds: number;
}

/** A process returns tokens that it has not spent within this time, so that hoarded tokens cannot enlarge a later burst. */
const LEASE_MS = 250;
/** How often a process asks an empty bucket again, so that it does not ask for every single token. */
const ASK_INTERVAL_MS = 50;
const SHARES_MAX = 10_000;

/** This process's share of one bucket. */
interface Share {
  tokens: number;
  leasedAt: number;
  /** Spent tokens of the current lease: they determine the size of the next one. */
  spent: number;
  /** Tokens in the bucket after the last lease. */
  left: number;
  /** The bucket is known to be empty until then, and is not asked. */
  emptyUntil: number;
  waiting: number;
  leasing: Promise<void> | null;
}

/**
 * Limits requests per API key, or per holder of other buckets, across all processes: the bucket is a row, refilled by the
 * database's clock. A process leases tokens in batches for a quarter of a second at most, twice as many as it used last time.
 * So a busy key costs a few updates a second, and a process with few requests of a key holds few of its tokens.
 */
export class RateLimiter {
  private readonly shares = new Map<string, Share>();
  private readonly leaseMax: number;

  constructor(
    private readonly db: Database,
    readonly limit: RateLimit,
    private readonly buckets: Buckets = keyBuckets,
  ) {
    this.leaseMax = Math.max(1, Math.ceil((limit.perSecond * LEASE_MS) / 1000));
  }

  /** Takes a token for one request of this holder if there is one. */
  async take(holderId: string): Promise<RateDecision> {
    const share = this.shareOf(holderId);
    share.waiting++;
    try {
      while (!hasToken(share)) {
        if (performance.now() < share.emptyUntil) return this.refused(share);
        share.leasing ??= this.lease(holderId, share).finally(() => (share.leasing = null));
        await share.leasing;
      }
    } finally {
      share.waiting--;
    }
    share.tokens--;
    share.spent++;
    return this.admitted(share);
  }

  private shareOf(holderId: string): Share {
    const known = this.shares.get(holderId);
    if (known !== undefined) return known;
    const [oldest] = this.shares.keys();
    if (oldest !== undefined && this.shares.size >= SHARES_MAX) this.shares.delete(oldest);
    const share = { tokens: 0, leasedAt: 0, spent: 0, left: 0, emptyUntil: 0, waiting: 0, leasing: null };
    this.shares.set(holderId, share);
    return share;
  }

  private async lease(holderId: string, share: Share): Promise<void> {
    const returned = share.tokens;
    const wanted = Math.min(this.leaseMax, Math.max(share.waiting, 2 * share.spent));
    share.tokens = 0;
    const { granted, left } = await this.draw(holderId, wanted, returned);
    const now = performance.now();
    share.tokens = granted;
    share.leasedAt = now;
    share.spent = 0;
    share.left = left;
    const refillMs = ((1 - left) / this.limit.perSecond) * 1000;
    share.emptyUntil = granted === 0 ? now + Math.max(refillMs, ASK_INTERVAL_MS) : 0;
  }

  private async draw(holderId: string, wanted: number, returned: number): Promise<RowOf<typeof drawTokens>> {
    const [drawn] = await this.db.rows(drawTokens(this.buckets, { holderId, ...this.limit, returned, wanted }));
    if (drawn !== undefined) return drawn;
    await this.db.rows(openBucket(this.buckets, holderId, this.limit.burst));
    return this.draw(holderId, wanted, returned);
  }

  private admitted(share: Share): RateDecision {
    const remaining = Math.floor(share.tokens + share.left);
    return {
      admitted: true,
      remaining,
      resetSeconds: Math.ceil((this.limit.burst - remaining) / this.limit.perSecond),
    };
  }

  private refused(share: Share): RateDecision {
    const resetSeconds = Math.max(1, Math.ceil((share.emptyUntil - performance.now()) / 1000));
    return { admitted: false, remaining: 0, resetSeconds };
  }
}

function hasToken(share: Share): boolean {
  return share.tokens > 0 && performance.now() - share.leasedAt < LEASE_MS;
}
