import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendFactory, IQueueBackend, JobsOptions } from 'bullmq';
import type { QueueName } from './jobs.js';

/** A job on its way into a queue. */
export interface JobToAdd {
  readonly name: string;
  readonly data: object;
  readonly opts: JobsOptions;
}

/** What we use of a BullMQ queue, whichever server it lies on. */
export interface BackendQueue {
  addBulk(jobs: JobToAdd[]): Promise<unknown>;
  close(): Promise<void>;
}

/** What we use of a BullMQ worker. `close` waits for the running jobs, for ever if need be. */
export interface BackendWorker {
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

/** A job as its processor sees it. */
export interface ReceivedJob {
  readonly name: string;
  readonly data: unknown;
  /** Puts a running job back into the queue; the processor must throw BullMQ's `WaitingError` after that. */
  moveToWait(token?: string): Promise<unknown>;
}

/** Runs one job; `token` proves to the queue who runs it. */
export type Processor = (job: ReceivedJob, token: string | undefined) => Promise<void>;

/** The server that carries the jobs of this process, with the connections to it. */
export interface QueueBackend {
  openQueue(name: QueueName): BackendQueue;
  openWorker(name: QueueName, processor: Processor, concurrency: number): BackendWorker;
  /** Rejects when the server does not answer; that can take as long as its time-outs. */
  ping(): Promise<void>;
  /** Closes the connections; queues and workers must be closed before. */
  close(): Promise<void>;
}

/** Injection token of the process's one backend. */
export const QUEUE_BACKEND = Symbol('QueueBackend');

/** Told of every failure that BullMQ and the connections meet in the background. */
export type BackendErrorListener = (error: Error) => void;

/** Nobody reads BullMQ's event stream, so it is kept short. */
export const QUEUE_OPTIONS = { streams: { events: { maxLen: 100 } } };

const PAUSE_AFTER_FAILURE_MS = 500;

/**
 * A worker that dies holds its job, and with it every wake of the same key, until the lock has run out and the next
 * check for stalled jobs has passed: 7.5 s at most. The checks and the polls (`drainDelay` in seconds, in case a
 * notification was lost) are all that an idle worker asks of the server.
 */
export const WORKER_OPTIONS = {
  lockDuration: 5_000,
  stalledInterval: 2_500,
  drainDelay: 10,
  runRetryDelay: PAUSE_AFTER_FAILURE_MS,
};

/**
 * Makes workers wait after a claim that failed. BullMQ itself waits only when the connection is refused, and would
 * otherwise ask a server that is starting up, full or read-only again and again without a pause.
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
