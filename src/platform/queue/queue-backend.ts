import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendFactory, IQueueBackend, JobsOptions } from 'bullmq';
import type { QueueName } from './jobs.js';

/** A job on its way into a queue. */
export interface JobToAdd {
  readonly name: string;
  readonly data: object;
  readonly opts: JobsOptions;
}

/** The part of a BullMQ queue that we use, on either server. */
export interface BackendQueue {
  addBulk(jobs: JobToAdd[]): Promise<unknown>;
  close(): Promise<void>;
}

/** The part of a BullMQ worker that we use. `close` waits for the running jobs without a limit. */
export interface BackendWorker {
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

/** A job as its processor receives it. */
export interface ReceivedJob {
  readonly name: string;
  readonly data: unknown;
  /** Puts a running job back into the queue; the processor must throw BullMQ's `WaitingError` after that. */
  moveToWait(token?: string): Promise<unknown>;
}

/** Runs one job; `token` identifies the worker to the queue. */
export type Processor = (job: ReceivedJob, token: string | undefined) => Promise<void>;

/** The connections to the server of this process's jobs. */
export interface QueueBackend {
  openQueue(name: QueueName): BackendQueue;
  openWorker(name: QueueName, processor: Processor, concurrency: number): BackendWorker;
  /** Rejects when the server does not answer; that can take as long as its timeouts. */
  ping(): Promise<void>;
  /** Closes the connections; queues and workers must be closed before. */
  close(): Promise<void>;
}

/** Injection token of the process's one backend. */
export const QUEUE_BACKEND = Symbol('QueueBackend');

/** Receives the background errors of BullMQ and the connections. */
export type BackendErrorListener = (error: Error) => void;

/** The event stream of BullMQ has no reader, so it is kept short. */
export const QUEUE_OPTIONS = { streams: { events: { maxLen: 100 } } };

const PAUSE_AFTER_FAILURE_MS = 500;

/**
 * A worker that dies blocks its job, and every wake of the same key, until the lock has expired and the next check for
 * stalled jobs has run: 7.5 s at most. The checks and the polls (`drainDelay` in seconds, in case a notification was lost)
 * are the only requests of an idle worker.
 */
export const WORKER_OPTIONS = {
  lockDuration: 5_000,
  stalledInterval: 2_500,
  drainDelay: 10,
  runRetryDelay: PAUSE_AFTER_FAILURE_MS,
};

/**
 * Makes workers wait after a failed claim. BullMQ itself waits only when the connection is refused; it would query a server
 * that is starting up, full or read-only without a pause.
 */
export function paced<B extends IQueueBackend, C>(factory: BackendFactory<B, C>): BackendFactory<B, C> {
  return (name, options, more) => {
    const backend = factory(name, options, more);
    const claiming: IQueueBackend = backend;
    const claim = claiming.moveToActive.bind(backend);
    claiming.moveToActive = async (...args) => {
      try {
        return await claim(...args);
      } catch (error) {
        await sleep(PAUSE_AFTER_FAILURE_MS);
        throw error;
      }
    };
    return backend;
  };
}
