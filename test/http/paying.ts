import type { EventBody } from '../../src/events/event-envelope.js';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import type { PocketObject } from '../../src/ledger/pocket.schema.js';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import type { World } from '../support/world.js';
import { addressOf } from './intents.js';
import { addKey, addMerchant } from './tenants.js';

/** The fields of a list that paying tests check. */
export interface List<Item> {
  readonly data: readonly Item[];
}

/** Blocks on top that make a payment final on the development chains of polygon and bnb. */
export const FINAL_DEPTH = 3;
/** Smallest units of one USDC on polygon. */
export const USDC = 1_000_000n;

/** A merchant of its own for a test, so that its pocket and its events are the test's alone. */
export const newMerchant = async (world: World): Promise<ApiClient> =>
  addKey(world, await addMerchant(world, 'Merchant of one test'), 'sandbox');

/** Pays into the intent's address from the faucet, in a block of its own. */
export const pay = (world: World, intent: PaymentIntentObject, amount: bigint) =>
  world.chain(intent.network === 'bnb' ? 'bnb' : 'polygon').pay({ to: addressOf(intent), token: 'USDC', amount });

/** Mines until everything on polygon is final, in a world where nothing else mines. */
export const makeFinal = (world: World): Promise<void> => world.chain('polygon').mine(FINAL_DEPTH);

export const confirm = (api: ApiClient, id: string): Promise<ApiAnswer<PaymentIntentObject>> =>
  api.post(`/v1/payment-intents/${id}/confirm`);

/** Makes the intent due now. */
export const expire = (api: ApiClient, id: string): Promise<ApiAnswer<PaymentIntentObject>> =>
  api.post(`/v1/sandbox/payment-intents/${id}/expire`);

/** The merchant's pocket of a token on a network. */
export async function pocketOf(api: ApiClient, network = 'polygon', token = 'USDC'): Promise<PocketObject | undefined> {
  const { body } = await api.get<List<PocketObject>>('/v1/pockets?limit=100');
  return body.data.find((pocket) => pocket.network === network && pocket.token === token);
}

/** Waits until the pocket of USDC on polygon holds this much, in cents. */
export function untilCredited(api: ApiClient, cents: number): Promise<PocketObject> {
  return eventually(async () => {
    const pocket = await pocketOf(api);
    expect(pocket?.available_cents).toBe(cents);
    return pocket;
  });
}

/** Kinds of the merchant's events by their sequence, which has no gaps, once there are `count` of them. */
export function untilEvents(api: ApiClient, count: number): Promise<string[]> {
  return eventually(async () => {
    const { body } = await api.get<List<EventBody>>('/v1/events?after_sequence=0');
    const events = body.data;
    expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
    return events.map(({ event_type: type }) => type.replace('payment_intent.', ''));
  });
}
