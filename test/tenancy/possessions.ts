import { randomBytes } from 'node:crypto';
import { SCOPES } from '../../src/auth/scopes.js';
import { newId } from '../../src/domain/ids.js';
import type { Environment } from '../../src/domain/network.js';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import { type List, pocketOf } from '../http/paying.js';
import { addKey } from '../http/tenants.js';
import type { ApiClient } from '../support/api-client.js';
import { BNB_FINALITY } from '../support/bnb-testnet.js';
import { eventually } from '../support/eventually.js';
import { getWithdrawal, withdraw } from '../withdrawals/withdrawals.js';
import type { TwoEnvironments } from './two-environments.js';

const ORDER = { network: 'bnb' };

/** A merchant in one environment that owns an object of every kind. */
export interface Owner {
  readonly environment: Environment;
  readonly merchantId: string;
  /** With a key of every scope. */
  readonly api: ApiClient;
  /** Collection, as in paths -> the id of one of the owner's objects. */
  readonly owns: ReadonlyMap<string, string>;
  /** Collection -> the texts of one of the owner's objects, such as its reference, which no other object has. */
  readonly shows: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Creates or finds an object of each kind over the API. The merchant has received one payment. */
const OWNED: Readonly<Record<string, (api: ApiClient) => Promise<string>>> = {
  'payment-intents': async (api) => (await intentWithAddress(api, ORDER)).id,
  pockets: pocketWithMoney,
  entries: async (api) => firstOf(api, `/v1/pockets/${await pocketWithMoney(api)}/entries`),
  events: (api) => firstOf(api, '/v1/events'),
  'webhook-endpoints': async (api) => {
    // Subscribed to an event that does not happen here, so that nothing is sent.
    const { body } = await api.post<{ id: string }>('/v1/webhook-endpoints', {
      url: 'https://example.com/hook',
      event_types: ['withdrawal.completed'],
    });
    return body.id;
  },
  // A delivery of a test event without an answer. No retry follows, because its endpoint is deleted.
  deliveries: async (api) => {
    const url = 'https://nowhere.invalid/hook';
    const { body: endpoint } = await api.post<{ id: string }>('/v1/webhook-endpoints', { url });
    await api.post(`/v1/webhook-endpoints/${endpoint.id}/test`);
    await firstOf(api, `/v1/deliveries?endpoint_id=${endpoint.id}`);
    await api.call('DELETE', `/v1/webhook-endpoints/${endpoint.id}`);
    return firstOf(api, `/v1/deliveries?endpoint_id=${endpoint.id}&status=cancelled`);
  },
  // The token of these chains has no readable balance, so the withdrawal waits for funds and stays in flight.
  withdrawals: async (api) => {
    const pocketId = await pocketWithMoney(api);
    return eventually(async () => {
      const own = { reference: newId('wd_'), destination: `0x${randomBytes(20).toString('hex')}` };
      const { status, body, text } = await withdraw(api, pocketId, { amount_cents: 100, ...own });
      // Until the worker has read the gas price.
      if (status !== 202) throw new Error(text);
      return body.id;
    });
  },
};

async function pocketWithMoney(api: ApiClient): Promise<string> {
  return eventually(async () => {
    const pocket = await pocketOf(api, 'bnb');
    return pocket !== undefined && pocket.available_cents > 0 ? pocket.id : null;
  });
}

const firstOf = (api: ApiClient, path: string): Promise<string> =>
  eventually(async () => (await api.get<List<{ id: string }>>(path)).body.data[0]?.id);

/** Creates a key for the merchant, pays it once on its environment's chain, and creates an object of every kind. */
export async function newOwner(world: TwoEnvironments, merchantId: string, environment: Environment): Promise<Owner> {
  const api = await addKey(world, merchantId, environment, SCOPES);
  const { controls } = world.chains[environment];
  const paid = await intentWithAddress(api, { ...ORDER, reference: newId('pi_') });
  await controls.pay({ to: addressOf(paid), token: 'USDC', amount: BigInt(paid.crypto_amount ?? 0) });
  await controls.mine(BNB_FINALITY);
  const { payments } = await untilStatus(api, paid.id, 'completed');
  const owns = new Map<string, string>();
  for (const [collection, make] of Object.entries(OWNED)) owns.set(collection, await make(api));
  const order = await getWithdrawal(api, owns.get('withdrawals') ?? '');
  const hash = payments[0]?.tx_hash ?? '';
  const shows = new Map<string, Readonly<Record<string, string>>>([
    ['payment-intents', { reference: paid.reference ?? '', address: addressOf(paid), tx_hash: hash }],
    // The withdrawal is never sent and has no hash, so the payment's hash is used.
    ['withdrawals', { reference: order.reference ?? '', destination: order.destination, tx_hash: hash }],
  ]);
  return { environment, merchantId, api, owns, shows };
}

/** Returns the owner's text of a kind, by which a list finds it. @throws Error when `possessions` has none. */
export function shownBy(owner: Owner, collection: string, name: string): string {
  const text = owner.shows.get(collection)?.[name] ?? '';
  if (text === '') throw new Error(`Add to Owner.shows the ${name} of something in "${collection}".`);
  return text;
}

/** Returns the owner's id of a kind. @throws Error when `possessions` has none. */
export function ownedBy(owner: Owner, collection: string): string {
  const id = owner.owns.get(collection);
  if (id === undefined) throw new Error(`Add to OWNED how a merchant comes by something in "${collection}".`);
  return id;
}
