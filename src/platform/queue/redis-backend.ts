import { createRedisBackend } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { withTimeout } from '../with-timeout.js';
import { connectedBy, KEY_PREFIX, withPauseAfterFailure, type QueueBackend } from './queue-backend.js';

const PING_TIMEOUT_MS = 3_000;
const COMMAND_TIMEOUT_MS = 5_000;
const RECONNECT_MAX_MS = 1_000;
const PING_KEPT_MS = 10_000;

const CONNECTION: RedisOptions = {
  connectTimeout: PING_TIMEOUT_MS,
  retryStrategy: (times) => Math.min(times * 100, RECONNECT_MAX_MS),
  // After a failover the old primary refuses writes: a new connection finds the new primary.
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
};

/**
 * Opens the queue in Redis.
 * @throws Error that says what to do when Redis does not answer within 3 s.
 */
export async function openRedisBackend(redisUrl: string, onError: QueueBackend['onError']): Promise<QueueBackend> {
  await assertAnswers(redisUrl);
  // A wake that cannot be sent fails at once, and a recurring job makes up for it. Commands of workers wait for Redis.
  const producer = new Redis(redisUrl, {
    ...CONNECTION,
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
  }).on('error', onError);
  const consumer = new Redis(redisUrl, { ...CONNECTION, lazyConnect: true, maxRetriesPerRequest: null });
  consumer.on('error', onError);
  await Promise.all([producer.connect(), consumer.connect()]);
  return {
    connectQueue: connectedBy(createRedisBackend, producer),
    connectWorker: withPauseAfterFailure(connectedBy(createRedisBackend, consumer)),
    onError,
    isConnected: () => consumer.status === 'ready',
    // A write, because a Redis that is full or has become a read-only replica answers a PING but accepts no job.
    ping: async () => {
      await producer.set(`${KEY_PREFIX}:ping`, '1', 'PX', PING_KEPT_MS);
    },
    close: () => {
      producer.disconnect();
      consumer.disconnect();
      return Promise.resolve();
    },
  };
}

/** Throws when Redis does not answer: BullMQ, and the start with it, would wait without end. */
async function assertAnswers(redisUrl: string): Promise<void> {
  const probe = new Redis(redisUrl, {
    ...CONNECTION,
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // This event has the cause of the failure; the command only reports that the connection is closed.
  let reason = `no answer within ${PING_TIMEOUT_MS} ms`;
  probe.on('error', (error: Error) => (reason = messageOf(error)));
  let answered = false;
  const pinged = probe.connect().then(async () => (answered = (await probe.ping()) === 'PONG'));
  await withTimeout(pinged, PING_TIMEOUT_MS);
  probe.disconnect();
  if (answered) return;
  throw new Error(
    `Redis does not answer at ${new URL(redisUrl).host} (REDIS_URL): ${reason}. ` +
      'Start it, or unset REDIS_URL to keep the jobs in PostgreSQL.',
  );
}

/** A name with several addresses fails with one error for each address. */
const messageOf = (error: Error & { errors?: Error[] }): string => error.errors?.[0]?.message ?? error.message;
