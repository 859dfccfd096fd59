import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Injectable, type Type } from '@nestjs/common';
import type { Job } from 'bullmq';
import { EVM_NETWORKS } from '../../domain/network.js';
import { JobRuns } from './job-runs.js';
import type { QueueName } from './jobs.js';
import { WORKER_OPTIONS } from './queue-backend.js';

/** Concurrent jobs of a queue in one process. The lock of a hot wallet allows one signature per EVM network at a time. */
export const JOBS_AT_ONCE: Readonly<Record<QueueName, number>> = { worker: 16, vault: EVM_NETWORKS.length };

@Injectable()
abstract class JobProcessor extends WorkerHost {
  constructor(private readonly runs: JobRuns) {
    super();
  }

  override process(job: Job, token?: string): Promise<void> {
    return this.runs.run(job, token);
  }
}

@Processor('worker', { ...WORKER_OPTIONS, concurrency: JOBS_AT_ONCE.worker })
class WorkerProcessor extends JobProcessor {}

@Processor('vault', { ...WORKER_OPTIONS, concurrency: JOBS_AT_ONCE.vault })
class VaultProcessor extends JobProcessor {}

/** The processor of each queue. Only a process with the role of a queue provides it. */
export const PROCESSORS: Readonly<Record<QueueName, Type<WorkerHost>>> = {
  worker: WorkerProcessor,
  vault: VaultProcessor,
};
