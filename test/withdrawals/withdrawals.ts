import type { PocketObject } from '../../src/ledger/pocket.schema.js';
import type { WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import type { World } from '../support/world.js';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';

/** An address that nobody of the tests has the key of. */
export const DESTINATION = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** The merchant's pocket of a token on a network. */
export async function pocketOn(api: ApiClient, network: string, token = 'USDC'): Promise<PocketObject> {
  const { body } = await api.get<{ data: PocketObject[] }>('/v1/pockets?limit=100');
  const pocket = body.data.find((candidate) => candidate.network === network && candidate.token === token);
  if (pocket === undefined) throw new Error(`There is no pocket of ${token} on ${network}.`);
  return pocket;
}

/** Fills the pocket by a payment, as customers do, and answers with it. `amountCents` is fiat. */
export async function filledPocket(
  world: World,
  { network = 'polygon', token = 'USDC', amountCents = 100_000 } = {},
): Promise<PocketObject> {
  const intent = await intentWithAddress(world.api, { network, token, amount_cents: amountCents });
  const amount = BigInt(intent.crypto_amount ?? 0);
  const isCoin = token !== 'USDC' && token !== 'USDT';
  await world.chain(intent.network as 'polygon').pay({ to: addressOf(intent), token: isCoin ? null : token, amount });
  await untilStatus(world.api, intent.id, 'completed');
  return pocketOn(world.api, network, token);
}

/** Orders a withdrawal; `fields` replace or join the usual ones. */
export function withdraw(
  api: ApiClient,
  pocketId: string,
  fields: Readonly<Record<string, unknown>> = {},
  idempotencyKey?: string,
): Promise<ApiAnswer<WithdrawalObject>> {
  const body = { pocket_id: pocketId, amount_cents: 1_000, destination: DESTINATION, ...fields };
  return api.post('/v1/withdrawals', body, idempotencyKey === undefined ? {} : { idempotencyKey });
}

/** The withdrawal as GET shows it now. */
export async function getWithdrawal(api: ApiClient, id: string): Promise<WithdrawalObject> {
  const { status, body, text } = await api.get<WithdrawalObject>(`/v1/withdrawals/${id}`);
  if (status !== 200) throw new Error(`The withdrawal was not shown: ${text}`);
  return body;
}

/** Waits until the withdrawal has ended in this status. */
export function untilEnded(
  api: ApiClient,
  id: string,
  status: WithdrawalObject['status'],
  timeoutMs = 30_000,
): Promise<WithdrawalObject> {
  return eventually(async () => {
    const withdrawal = await getWithdrawal(api, id);
    expect(withdrawal.status).toBe(status);
    return withdrawal;
  }, timeoutMs);
}
