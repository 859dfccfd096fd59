import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import type { QueueOptions } from 'bullmq';
import { BackendQueue, BackendWorker } from './backend-classes.js';
import { JobQueue } from './job-queue.js';
import { JobRuns } from './job-runs.js';
import { JobWaker } from './job-waker.js';
import { QUEUE_NAMES } from './jobs.js';
import { KEY_PREFIX, QUEUE_BACKEND, type QueueBackend } from './queue-backend.js';

BullModule.queueClass = BackendQueue;
BullModule.workerClass = BackendWorker;

/** The queues of the process. `QueueServer` starts the workers of its roles, after everything else has started. */
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [QUEUE_BACKEND],
      // The module passes these options on to our classes, of which it knows only the base classes.
      useFactory: queueOptions,
      extraOptions: { manualRegistration: true },
    }),
    BullModule.registerQueue(...QUEUE_NAMES.map((name) => ({ name }))),
  ],
  providers: [JobRuns, JobQueue, { provide: JobWaker, useExisting: JobQueue }],
  exports: [BullModule, JobRuns, JobQueue, JobWaker],
})
export class QueueModule {}

/** The event stream of BullMQ has no reader, so it is kept short. */
function queueOptions(connection: QueueBackend): QueueOptions<QueueBackend> {
  return { connection, prefix: KEY_PREFIX, streams: { events: { maxLen: 100 } } };
}
