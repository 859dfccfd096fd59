import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LeaderElection, type Candidate } from './leader-election.js';
import { CONFIG, type Config } from './config.js';
import { Database, rows, type Tx } from './database/database.js';
import { type HeldLease, lockLease, renewAndTake, resignLeases } from './leases.sql.js';
import { LOGGER } from './logging.js';
import { withTimeout } from './with-timeout.js';
import { ThrottledLog } from './throttled-log.js';

/** The number of renewals during the life of a lease. */
const RENEWALS_PER_TTL = 4;
/** A leader trusts its lease for less time than the database grants, by its monotonic clock from before the query. */
const TRUSTED_SHARE = 7 / 8;
const FAILURES_LOGGED_EVERY_MS = 10_000;

export type { HeldLease };

/** Another process leads now: the transaction of the former leader must not commit. */
export class LeaseLost extends Error {
  constructor(name: string, epoch: number) {
    super(`Epoch ${epoch} of the lease "${name}" has ended.`);
    this.name = 'LeaseLost';
  }
}

/**
 * Must be the first statement of every write transaction of a leader: no other process can take the lease over while the
 * transaction is open, and the statement fails once one has. The lock does not block renewals (they change no key), only
 * a take-over, which locks the row `for update`.
 * @throws LeaseLost when the epoch is not the current one.
 */
export async function assertLease(tx: Tx, name: string, epoch: number): Promise<void> {
  const current = await rows(tx, lockLease({ name, epoch }));
  if (current.length === 0) throw new LeaseLost(name, epoch);
}

/**
 * Elects one leader per name among all processes on one database. One statement, four times in the life of a lease,
 * renews the leases of this process and takes over expired ones, by the database's clock alone. A leader that cannot renew
 * resigns before its lease ends, and a stale one fails at `assertLease`.
 */
@Injectable()
export class LeaseKeeper {
  private readonly holder = randomUUID();
  private readonly elections = new Map<string, LeaderElection>();
  private readonly throttle = new ThrottledLog(FAILURES_LOGGED_EVERY_MS);
  private readonly ttlMs: number;
  private timer: NodeJS.Timeout | null = null;
  private round: { readonly startedMs: number; readonly done: Promise<void> } | null = null;
  private stopped = false;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Pick<Config, 'leaseTtlMs'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.ttlMs = config.leaseTtlMs;
  }

  /** Takes part in the election of `name` until the keeper stops; the callbacks report every change. */
  elect(name: string, candidate: Candidate): void {
    if (this.stopped) throw new Error('The lease keeper has stopped.');
    if (this.elections.has(name)) throw new Error(`This process is a candidate for "${name}" already.`);
    this.elections.set(name, new LeaderElection(name, candidate, this.logger));
    this.timer ??= setInterval(() => this.tick(), this.ttlMs / RENEWALS_PER_TTL).unref();
    // After the caller's turn, so that all its names go into the first round.
    queueMicrotask(() => this.tick());
  }

  /**
   * Whether this process leads now, by its monotonic clock. Check it before an external action, which `assertLease` cannot
   * protect: after a pause of the process, `onLost` may not have been called yet.
   */
  holds(name: string): boolean {
    return this.elections.get(name)?.isTrusted() ?? false;
  }

  /**
   * Resigns all leases, waits for the promises of `onLost`, and lets successors start at once. It waits no longer than a
   * lease lasts: after that they start anyway.
   */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearInterval(this.timer);
    const stopped = Promise.all([this.round?.done, ...[...this.elections.values()].map((one) => one.depose())]);
    await withTimeout(stopped, this.ttlMs);
    await this.database.rows(resignLeases(this.holder)).catch((error: unknown) => this.logFailure(error));
  }

  /** Abandons a round that hangs for as long as a lease lasts, so that one lost connection cannot stop the renewals. */
  private tick(): void {
    const nowMs = performance.now();
    if (this.stopped || (this.round !== null && nowMs - this.round.startedMs < this.ttlMs)) return;
    const round = { startedMs: nowMs, done: this.renewAndTake(nowMs) };
    this.round = round;
    void round.done.finally(() => {
      if (this.round === round) this.round = null;
    });
  }

  private async renewAndTake(startedMs: number): Promise<void> {
    const all = [...this.elections.values()];
    const held = all.flatMap(({ name, epoch }) => (epoch === null ? [] : [{ name, epoch }]));
    const wanted = all.filter(({ epoch }) => epoch === null).map(({ name }) => name);
    try {
      const round = { holder: this.holder, held, wanted, ttlMs: this.ttlMs };
      const mine = await this.database.rows(renewAndTake(round));
      if (this.stopped) return;
      const epochs = new Map(mine.map(({ name, epoch }) => [name, Number(epoch)]));
      const trustedUntilMs = startedMs + this.ttlMs * TRUSTED_SHARE;
      for (const { name, epoch } of held) this.elections.get(name)?.renewed(epoch, epochs.has(name), trustedUntilMs);
      for (const name of wanted) {
        const epoch = epochs.get(name);
        if (epoch !== undefined) this.elections.get(name)?.elected(epoch, trustedUntilMs);
      }
    } catch (error) {
      this.logFailure(error);
    }
  }

  private logFailure(error: unknown): void {
    this.throttle.write((suppressedLines) =>
      this.logger.error({ err: error, suppressed_lines: suppressedLines }, 'Leases could not be renewed.'),
    );
  }
}
