import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { JobHandler } from '../../platform/queue/job-handler.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { EarliestTimer } from '../deliveries/earliest-timer.js';
import { endpointLimitsOf } from '../deliveries/endpoint-limits.js';
import { ReplaySignals } from '../deliveries/replay-signals.js';
import { type Fed, feedBatch } from './replay-batch.js';
import { endJobs, runningJobs, type TargetCursor, targetsWithRoom } from './replay-targets.sql.js';

/** Targets that one batch feeds. */
const TARGETS_MAX = 25;
/** Batches of the same targets in a round: one for each step, and some that find nothing that the job wants. */
const BATCHES_MAX = 8;
/** Deliveries that end within this time make room together, so that a batch is worth its statements. */
const PAUSE_MS = 10;

/** Carries out the replay jobs of staff: at each endpoint a few deliveries at a time, beside its fresh events. */
@Injectable()
export class ReplayFeeder implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(ReplayFeeder.name);
  private readonly openMax: number;
  private readonly timer = new EarliestTimer(() => void this.feed());
  private feeding: Promise<void> | null = null;
  private wanted = false;
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly signals: ReplaySignals,
    @Inject(CONFIG) config: Pick<Config, 'webhooks'>,
  ) {
    this.openMax = endpointLimitsOf(config.webhooks).replayed;
  }

  onModuleInit(): void {
    this.signals.whenEnded(() => this.feedSoon());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.timer.clear();
    await this.feeding;
  }

  /**
   * Feeds running jobs once. It runs when a job is ordered or resumed, and when deliveries of a job have ended in this
   * process; the recurring run finds what another process has ended. Any number of processes may call it at any time.
   */
  @RecurringJob({ role: 'worker', every: 2_000, when: runningJobs })
  @JobHandler('webhooks.replay')
  feed(): Promise<void> {
    this.wanted = true;
    this.feeding ??= this.feedOnce();
    return this.feeding;
  }

  /** Never throws: after a failure the recurring run goes on. A call meanwhile leads to another run. */
  private async feedOnce(): Promise<void> {
    this.wanted = false;
    try {
      await this.round();
    } catch (error) {
      this.logger.error({ err: error }, 'Replay jobs could not be read and will be tried again.');
    } finally {
      this.feeding = null;
    }
    if (this.wanted) this.feedSoon();
  }

  private feedSoon(): void {
    if (!this.stopping) this.timer.fireIn(PAUSE_MS);
  }

  /** Feeds each target that has room, and ends jobs. Returns how many deliveries it has sent. */
  async round(): Promise<number> {
    let sent = 0;
    let cursor: TargetCursor | null = null;
    do {
      const targets: RowOf<typeof targetsWithRoom>[] = await this.database.rows(
        targetsWithRoom(this.openMax, TARGETS_MAX, cursor),
      );
      for (const [jobId, ofJob] of Map.groupBy(targets, (target) => target.jobId)) {
        sent += await this.feedTargets(
          jobId,
          ofJob.map((target) => target.endpointId),
        );
      }
      cursor = targets.length < TARGETS_MAX ? null : (targets.at(-1) ?? null);
    } while (cursor !== null && !this.stopping);
    await this.database.rows(endJobs);
    return sent;
  }

  /** Feeds targets of a job until each has got something or has ended, or the walks take long. */
  private async feedTargets(jobId: string, endpointIds: readonly string[]): Promise<number> {
    let sent = 0;
    let left = endpointIds;
    for (let batch = 0; batch < BATCHES_MAX && left.length > 0 && !this.stopping; batch++) {
      const fed: Fed = await this.feedTogether(jobId, left);
      sent += fed.sent;
      left = fed.unfinished;
    }
    if (left.length > 0) this.wanted = true;
    return sent;
  }

  /** A target that fails delays no other. */
  private async feedTogether(jobId: string, endpointIds: readonly string[]): Promise<Fed> {
    try {
      const fed = await this.database.transaction((tx) => feedBatch(tx, jobId, endpointIds, this.openMax));
      if (fed.sent > 0) {
        failpoint('replay.after_commit');
        this.signals.fed();
      }
      return fed;
    } catch (error) {
      if (endpointIds.length > 1) return this.feedApart(jobId, endpointIds);
      this.logger.error(
        { replay_job_id: jobId, endpoint_id: endpointIds[0], err: error },
        'A replay job failed at an endpoint and will be tried again.',
      );
      return { sent: 0, unfinished: [] };
    }
  }

  private async feedApart(jobId: string, endpointIds: readonly string[]): Promise<Fed> {
    const all: Fed[] = [];
    for (const endpointId of endpointIds) all.push(await this.feedTogether(jobId, [endpointId]));
    return { sent: all.reduce((sum, fed) => sum + fed.sent, 0), unfinished: all.flatMap((fed) => fed.unfinished) };
  }
}
