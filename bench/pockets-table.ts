import type { Stage } from './stage.ts';

/** Pockets of a merchant: three networks with four tokens. */
export const POCKETS_OF_MERCHANT = 12;

/**
 * Gives each of these merchants twelve pockets in the sandbox. Those of the first one have the numbers 1 to 12 in their ids,
 * and so on. Their balances are as large as any test needs, and stand in no entry.
 */
export async function loadPockets(stage: Stage, merchantIds: readonly string[]): Promise<void> {
  await stage.query('begin');
  await stage.query(`set local session_replication_role = 'replica'`);
  await stage.query('set local statement_timeout = 0');
  await stage.query(ACCOUNTS, [merchantIds]);
  await stage.query(POCKETS, [merchantIds]);
  await stage.query('commit');
  for (const table of ['account', 'pocket']) await stage.query(`vacuum analyze ${table}`);
}

/** The id of the pocket with this number, as SQL. */
export const pocketId = (number: string): string => `'pkt_00' || lpad((${number})::text, 24, '0')`;

/** $1 merchants. The token is the asset, so that the names say what is what. */
const PLACES = `
  (select owner, (place - 1) * ${POCKETS_OF_MERCHANT} + kind as number,
          (array['polygon', 'ethereum', 'bnb'])[kind % 3 + 1] as network,
          (array['USDC', 'USDT', 'DAI', 'EURC'])[(kind - 1) / 3 + 1] as token
     from unnest($1::text[]) with ordinality as merchants (owner, place)
    cross join generate_series(1, ${POCKETS_OF_MERCHANT}) kind) places`;

const ACCOUNTS = `
  insert into account (kind, environment, asset, merchant_id, balance)
  select kind, 'sandbox', network || ':bench-' || token, owner, 10 ^ 15
    from ${PLACES} cross join unnest(array['pocket_available', 'pocket_held']) kind`;

const POCKETS = `
  insert into pocket (id, merchant_id, environment, network, token, token_contract, token_decimals, minor_unit_exponent,
    available_account_id, held_account_id, created_at)
  select ${pocketId('number')}, owner, 'sandbox', network, token, 'bench-' || token, 6, 2, available.id, held.id, now()
    from ${PLACES}
    join account available on available.merchant_id = owner and available.kind = 'pocket_available'
     and available.asset = network || ':bench-' || token
    join account held on held.merchant_id = owner and held.kind = 'pocket_held' and held.asset = available.asset`;
