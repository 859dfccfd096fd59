import type { Logger } from 'pino';
import { ThrottledLog } from '../throttled-log.js';
import { openPostgresBackend } from './postgres-backend.js';
import type { QueueBackend } from './queue-backend.js';
import { openRedisBackend } from './redis-backend.js';

/** The server of the queue: Redis if there is one, else the service's own database. */
export interface QueueLocation {
  readonly databaseUrl: string;
  readonly redisUrl: string | null;
}

/**
 * Connects to the server of this process's jobs, once for the queue and the workers.
 * @throws Error that says what to do when it does not answer.
 */
export function openQueueBackend(location: QueueLocation, logger: Logger): Promise<QueueBackend> {
  const throttle = new ThrottledLog();
  const onError = (error: Error): void =>
    throttle.write((suppressedLines) =>
      logger.error({ err: error, suppressed_lines: suppressedLines }, 'The job queue reported an error.'),
    );
  return location.redisUrl === null
    ? openPostgresBackend(location.databaseUrl, onError)
    : openRedisBackend(location.redisUrl, onError);
}
