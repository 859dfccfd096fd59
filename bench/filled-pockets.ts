import { hashApiKey, newApiKey, newId } from './compiled.ts';
import { insertPaidIntents } from './paid-intents.ts';
import type { Stage } from './stage.ts';
import { untilNone } from './until-none.ts';

/** The amount of a withdrawal, in minor units. */
export const WITHDRAWAL_CENTS = 1_000;

/** A pocket with 25 dollars in it. */
export interface FilledPocket {
  readonly id: string;
  /** Of its merchant. */
  readonly apiKey: string;
}

/**
 * Creates merchants, each with one pocket of USDC, on these networks in turns. A paid intent fills each pocket: the service
 * has booked and sealed the deposit and sent its events.
 * @param addressOn makes addresses of the networks that are not of Ethereum's kind
 */
export async function fillPockets(
  stage: Stage,
  networks: readonly string[],
  count: number,
  addressOn: ReadonlyMap<string, () => string> = new Map(),
): Promise<FilledPocket[]> {
  const merchants = await newMerchants(stage, count);
  for (const [nth, network] of networks.entries()) {
    const merchantIds = merchants.filter((_, place) => place % networks.length === nth).map(({ id }) => id);
    const newAddress = addressOn.get(network);
    const intents = { merchantIds, network, count: merchantIds.length };
    // Chains of other kinds have no such block that a deposit could be in.
    await insertPaidIntents(
      stage,
      newAddress === undefined ? { ...intents, status: 'seen' } : { ...intents, status: 'due', newAddress },
    );
  }
  const merchantIds = merchants.map(({ id }) => id);
  await untilNone(stage, `select from payment_intent where merchant_id = any($1) and status <> 'completed' limit 1`, [
    merchantIds,
  ]);
  await untilNone(stage, `select from event where sequence is null limit 1`);
  await untilNone(stage, `select from unsealed_entry limit 1`);
  const pockets = await stage.query<{ id: string; merchant_id: string }>(
    `select pocket.id, pocket.merchant_id from pocket join account on account.id = available_account_id
      where pocket.merchant_id = any($1) and balance > 0`,
    [merchantIds],
  );
  const byMerchant = new Map(pockets.map((pocket) => [pocket.merchant_id, pocket.id]));
  return merchants.map(({ id, apiKey }) => ({ id: byMerchant.get(id) ?? '', apiKey }));
}

async function newMerchants(stage: Stage, count: number): Promise<{ id: string; apiKey: string }[]> {
  const merchants = Array.from({ length: count }, () => ({ id: newId('mer_'), apiKey: newApiKey('sandbox') }));
  const ids = merchants.map(({ id }) => id);
  await stage.query(`insert into merchant (id, name) select id, 'Bench' from unnest($1::text[]) id`, [ids]);
  await stage.query(
    `insert into api_key (id, merchant_id, environment, key_hash, last4, scopes)
     select key.id, key.merchant_id, 'sandbox', key.hash, key.last4, '{withdrawals:write}'
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as key (id, merchant_id, hash, last4)`,
    [
      merchants.map(() => newId('key_')),
      ids,
      merchants.map(({ apiKey }) => hashApiKey(apiKey)),
      merchants.map(({ apiKey }) => apiKey.slice(-4)),
    ],
  );
  return merchants;
}

/** Returns the body of a withdrawal from a pocket, as a merchant posts it. */
export function withdrawalBody({ id }: FilledPocket, destination: string): string {
  return JSON.stringify({ pocket_id: id, amount_cents: WITHDRAWAL_CENTS, destination, reference: 'payout-1042' });
}
