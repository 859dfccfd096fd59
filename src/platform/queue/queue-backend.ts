import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendFactory, IQueueBackend } from 'bullmq';

/** Connects a queue or a worker whose options name our backend as the connection. */
export type Connect = BackendFactory<IQueueBackend, QueueBackend>;

/** The server of this process's jobs. All queues and workers of the process share its connections. */
export interface QueueBackend {
  readonly connectQueue: Connect;
  readonly connectWorker: Connect;
  /** Receives the background errors of queues, workers and connections. */
  readonly onError: (error: Error) => void;
  /** False while the server is known to be away: an orderly close of a worker would never end. */
  isConnected(): boolean;
  /** Rejects when the server does not answer; that can take as long as its timeouts. */
  ping(): Promise<void>;
  /** Closes the connections; queues and workers must be closed before. */
  close(): Promise<void>;
}

/** Injection token of the process's one backend. */
export const QUEUE_BACKEND = Symbol('QueueBackend');

/** The first part of all keys in Redis. */
export const KEY_PREFIX = 'coffer';

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

/** Adapts a backend factory of BullMQ to this connection. */
export const connectedBy =
  <B extends IQueueBackend, C>(factory: BackendFactory<B, C>, connection: C): Connect =>
  (name, options, more) =>
    factory(name, { ...options, connection }, more);

/**
 * Makes workers wait after a failed claim. BullMQ itself waits only when the connection is refused; it would query a server
 * that is starting up, full or read-only without a pause.
 */
export function withPauseAfterFailure(connect: Connect): Connect {
  return (name, options, more) => {
    const backend = connect(name, options, more);
    const claim = backend.moveToActive.bind(backend);
    backend.moveToActive = async (...args) => {
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
