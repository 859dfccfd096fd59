import { createHash } from 'node:crypto';
/** The payload of a job that needs none. */
export type NoPayload = Record<string, never>;

/**
 * All jobs by name, with their payloads: ids only, because the handler reads the rows itself. A job has no state and no due
 * time, it only wakes a handler: the work is in PostgreSQL, and a recurring job finds the work of a lost job.
 */
export interface Jobs {
  'intents.settle': { intentIds: readonly string[] };
  'events.relay': NoPayload;
  'webhooks.deliver': NoPayload;
  'webhooks.recover': NoPayload;
  'webhooks.replay': NoPayload;
  'wallets.refill': NoPayload;
  'fees.sample': NoPayload;
  'withdrawals.sign': NoPayload;
  'payments.simulate': NoPayload;
  'treasury.replace': { transactionId: string };
  'treasury.broadcast': NoPayload;
  'sandbox.pay': { paymentId: string };
}
export type JobName = keyof Jobs;

export const QUEUE_NAMES = ['worker', 'vault'] as const;
/** Each queue is served by one role: jobs of the vault must reach only a process that can open the seed. */
export type QueueName = (typeof QUEUE_NAMES)[number];

/** The queue of each job. */
export const JOB_QUEUES = {
  'intents.settle': 'worker',
  'events.relay': 'worker',
  'webhooks.deliver': 'worker',
  'webhooks.recover': 'worker',
  'webhooks.replay': 'worker',
  'wallets.refill': 'vault',
  'fees.sample': 'worker',
  'withdrawals.sign': 'vault',
  'payments.simulate': 'worker',
  'treasury.replace': 'vault',
  'treasury.broadcast': 'worker',
  'sandbox.pay': 'worker',
} as const satisfies Record<JobName, QueueName>;

/**
 * The shortest time between two wakes of a job that one process sends, in milliseconds. Such a job looks at all of its rows,
 * so later wakes may wait.
 */
export const PACE_MS: { readonly [Name in JobName]?: number } = {
  'payments.simulate': 200,
  'events.relay': 50,
};

/** The deduplication key of a wake: the job's name and the hash of its payload, since PostgreSQL indexes only short keys. */
export function wakeKey<N extends JobName>(name: N, data: Jobs[N]): string {
  return `${name}/${createHash('sha256').update(JSON.stringify(data)).digest('base64url')}`;
}
