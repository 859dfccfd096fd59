/** A job that says everything by its name. */
export type NoPayload = Record<string, never>;

/**
 * Every job there is, by name, with its payload: ids only, as the handler reads the rows anew. A job carries no truth
 * and no due time, it only wakes: PostgreSQL says what is to do, and a sweep finds what a lost job would have done.
 */
export interface Jobs {
  'intents.settle': { intentIds: readonly string[] };
  'events.relay': NoPayload;
  'webhooks.deliver': NoPayload;
  'webhooks.recover': NoPayload;
  'wallets.refill': NoPayload;
  'withdrawals.sign': NoPayload;
  'payments.simulate': NoPayload;
  'treasury.replace': { transactionId: string };
  'treasury.broadcast': NoPayload;
  'sandbox.pay': { paymentId: string };
}
export type JobName = keyof Jobs;

export const QUEUE_NAMES = ['worker', 'vault'] as const;
/** A queue is served by one role: the vault's jobs must reach a process that can open the seed, and no other. */
export type QueueName = (typeof QUEUE_NAMES)[number];

/** Which queue a job goes to. */
export const JOB_QUEUES = {
  'intents.settle': 'worker',
  'events.relay': 'worker',
  'webhooks.deliver': 'worker',
  'webhooks.recover': 'worker',
  'wallets.refill': 'vault',
  'withdrawals.sign': 'vault',
  'payments.simulate': 'worker',
  'treasury.replace': 'vault',
  'treasury.broadcast': 'worker',
  'sandbox.pay': 'worker',
} as const satisfies Record<JobName, QueueName>;

/** Two wakes with one key are one job: the job's name, and whatever it is about. */
export function wakeKey<N extends JobName>(name: N, data: Jobs[N]): string {
  return [name, ...Object.values(data)].join('/');
}
