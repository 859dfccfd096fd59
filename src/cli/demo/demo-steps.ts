import { z } from 'zod';
import type { Network } from '../../domain/network.js';
import { ApiClient, ApiRefusal } from '../api-client.js';
import { CommandFailure } from '../command.js';
import type { Note } from './demo-narrator.js';
import type { DemoReceiver, Received } from './demo-receiver.js';
import { poll } from '../poll.js';

const READY_WITHIN_MS = 60_000;
const COMPLETED_WITHIN_MS = 120_000;
const WEBHOOK_WITHIN_MS = 60_000;
const POLL_MS = 250;

const DOCTOR = 'npx coffer doctor shows what is wrong';

/** The payment of the demo. */
export interface DemoPlan {
  readonly network: Network;
  readonly token: string;
  readonly amountCents: number;
}

const networkList = z.object({
  data: z.array(
    z.object({
      network: z.string(),
      status: z.string(),
      listener: z.object({ height: z.number() }),
      tokens: z.array(z.object({ token: z.string(), enabled: z.boolean() })),
    }),
  ),
});
type OfferedNetwork = z.infer<typeof networkList>['data'][number];

export const createdEndpoint = z.object({ id: z.string(), secret: z.string() });

export const intentObject = z.object({
  id: z.string(),
  status: z.string(),
  amount_cents: z.number(),
  received_amount_cents: z.number(),
  remaining_amount_cents: z.number(),
  crypto_amount: z.string().nullable(),
  crypto_amount_decimal: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  payments: z.array(
    z.object({
      // Null when a contract paid in the chain's own coin.
      tx_hash: z.string().nullable(),
      confirmations: z.number(),
      required_confirmations: z.number(),
    }),
  ),
});
export type DemoIntent = z.infer<typeof intentObject>;

const pocketObject = z.object({
  id: z.string(),
  network: z.string(),
  token: z.string(),
  token_decimals: z.number(),
  minor_unit_exponent: z.number(),
  available_cents: z.number(),
  available_amount: z.string(),
});
export type DemoPocket = z.infer<typeof pocketObject>;

const pocketList = z.object({ data: z.array(pocketObject) });

/** Waits until the service answers and its listener reads the network. */
export async function untilServed(api: ApiClient, plan: DemoPlan): Promise<OfferedNetwork> {
  let last = 'it does not answer';
  const served = await poll(
    async () => {
      const state = await networkState(api, plan);
      if (typeof state !== 'string') return state;
      last = state;
      return null;
    },
    { everyMs: POLL_MS, withinMs: READY_WITHIN_MS },
  );
  if (served !== null) return served;
  throw new CommandFailure(`The service is not ready after ${READY_WITHIN_MS / 1000} s: ${last}.`, DOCTOR);
}

/** Returns the network once it can be used, else the reason why it cannot. */
async function networkState(api: ApiClient, { network, token }: DemoPlan): Promise<OfferedNetwork | string> {
  try {
    await api.get('/health/ready', z.unknown());
    const { data } = await api.get('/v1/networks', networkList);
    const offered = data.find((candidate) => candidate.network === network);
    if (offered?.tokens.some((candidate) => candidate.token === token && candidate.enabled) !== true) {
      const names = data.flatMap((candidate) => candidate.tokens.map((one) => `${candidate.network}/${one.token}`));
      throw new CommandFailure(`${network}/${token} is not on offer here.`, `one of ${names.join(', ')}`);
    }
    return offered.status === 'ok' ? offered : `${network} is ${offered.status}`;
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 503) return error.message;
    throw error;
  }
}

/** Polls the intent until it is completed, and notes each change. */
export async function untilCompleted(api: ApiClient, id: string, note: Note): Promise<DemoIntent> {
  let said = '';
  const completed = await poll(
    async () => {
      const intent = await api.get(`/v1/payment-intents/${id}`, intentObject);
      const progress = progressOf(intent);
      if (progress !== said) note(progress);
      said = progress;
      if (['failed', 'expired', 'cancelled'].includes(intent.status)) {
        throw new CommandFailure(`The payment intent became ${intent.status} instead of completed.`, DOCTOR);
      }
      return intent.status === 'completed' ? intent : null;
    },
    { everyMs: POLL_MS, withinMs: COMPLETED_WITHIN_MS },
  );
  if (completed !== null) return completed;
  const seconds = COMPLETED_WITHIN_MS / 1000;
  throw new CommandFailure(`Not completed after ${seconds} s; the last state was: ${said}.`, DOCTOR);
}

function progressOf({ status, payments: [payment] }: DemoIntent): string {
  if (payment === undefined) return `${status}, payment not seen yet`;
  const { confirmations, required_confirmations: required } = payment;
  return `${status}, payment seen, ${Math.min(confirmations, required)} of ${required} confirmations`;
}

/** @throws CommandFailure unless the intent shows the amount and the transaction that paid it. */
export function assertPaid(intent: DemoIntent, txHash: string): void {
  const { received_amount_cents: received, remaining_amount_cents: remaining, amount_cents: amount } = intent;
  if (received !== amount || remaining !== 0) {
    throw new CommandFailure(`Completed with ${received} of ${amount} cents received and ${remaining} remaining.`);
  }
  if (intent.payments.some((payment) => payment.tx_hash === txHash)) return;
  throw new CommandFailure(`Completed, but not by the transaction ${txHash}.`);
}

/**
 * Waits for the delivery that reports a completed resource, and verifies it.
 * @throws CommandFailure when none arrives, or its signature or content is wrong.
 */
export async function untilWebhook(
  receiver: DemoReceiver,
  resourceId: string,
  type: 'payment_intent.completed' | 'withdrawal.completed',
): Promise<Received> {
  const received = await receiver.waitFor(resourceId, WEBHOOK_WITHIN_MS);
  if (received === null) {
    const advice = 'GET /v1/events shows whether the event was recorded; npx coffer doctor counts dead letters';
    throw new CommandFailure(`No webhook arrived within ${WEBHOOK_WITHIN_MS / 1000} s.`, advice);
  }
  const { verdict, event, header } = received;
  if (!verdict.valid) {
    const message = `The signature of a webhook is not valid: ${verdict.reason} (${header}).`;
    throw new CommandFailure(message, 'compare it with the recipe in docs/webhooks.md');
  }
  if (event?.event_type === type && event.data.status === 'completed') return received;
  throw new CommandFailure(`The webhook says ${event?.event_type} with status ${event?.data.status}.`);
}

/** Returns the merchant's pocket with its balance. */
export async function pocketBalance(api: ApiClient, { network, token }: DemoPlan): Promise<DemoPocket> {
  const { data } = await api.get('/v1/pockets?limit=100', pocketList);
  const found = data.find((pocket) => pocket.network === network && pocket.token === token);
  if (found === undefined) throw new CommandFailure(`The merchant has no pocket of ${token} on ${network}.`);
  return found;
}
