import { randomBytes } from 'node:crypto';
import { newId } from './compiled.ts';
import type { Stage } from './stage.ts';

/** Above the indexes that the vault derives, and below those of generate-address. */
const FIRST_INDEX = 500_000;
const LIFETIME = `interval '1 hour'`;

/** Intents to insert. */
export interface PaidIntents {
  readonly merchantIds: readonly string[];
  readonly network: string;
  readonly count: number;
  readonly status: 'seen' | 'due';
  /** Makes an address of the network; default: one of Ethereum's kind. */
  readonly newAddress?: () => string;
}

const newEvmAddress = (): string => `0x${randomBytes(20).toString('hex')}`;

/**
 * Inserts intents of these merchants, in turns, each with its address and one deposit of its amount in a final block. The
 * listener makes `seen` deposits final at its next step; `due` ones are final, with a mark that the next sweep finds.
 */
export async function insertPaidIntents(
  stage: Stage,
  { merchantIds, network, count, status, newAddress = newEvmAddress }: PaidIntents,
): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => newId('pi_'));
  await stage.query('begin');
  await stage.query(INTENTS, [ids, merchantIds, network, ids.map(() => newAddress())]);
  await stage.query(ADDRESSES, [ids, FIRST_INDEX]);
  await stage.query(DEPOSITS, [ids, status === 'due' ? 'confirmed' : status]);
  if (status === 'due') await stage.query(`insert into dirty_intent (intent_id) select unnest($1::text[])`, [ids]);
  await stage.query('commit');
  for (const table of ['payment_intent', 'deposit', 'dirty_intent']) await stage.query(`vacuum analyze ${table}`);
  return ids;
}

/** $1 ids, $2 merchants, $3 the network, $4 addresses. */
const INTENTS = `
  insert into payment_intent (id, merchant_id, environment, status, amount_cents, currency, settlement_currency, network,
    token, reference, metadata, chain_ref, token_contract, token_decimals, price_round_id, token_price, token_price_cents,
    crypto_amount, address, received_crypto_amount, created_at, updated_at, expires_at, due_at)
  select given.id, ($2::text[])[given.place % cardinality($2::text[]) + 1], 'sandbox', 'processing', 2500, 'USD', 'USDC',
         chain.network, 'USDC', 'order-1042', '{"customer":"cus_8127","cart":"spring-sale","items":3}', chain.id,
         token.contract, token.decimals, round.id, '1', 100, 25 * 10::numeric ^ token.decimals,
         ($4::text[])[given.place], 0, now(), now(), now() + ${LIFETIME}, now() + ${LIFETIME}
    from unnest($1::text[]) with ordinality as given (id, place)
    join chain on chain.active and chain.environment = 'sandbox' and chain.network = $3
    join chain_token token on token.chain_ref = chain.id and token.symbol = 'USDC'
   cross join (select id from price_round where environment = 'sandbox' order by created_at desc limit 1) round`;

/** $1 ids, $2 the first index. */
const ADDRESSES = `
  insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key, intent_id,
    assigned_at)
  select 'sandbox', chain.family, first + given.place, 'm/44''/60''/0''/0/' || first + given.place, intent.address,
         intent.address, intent.id, now()
    from (select greatest($2, max(derivation_index)) as first from pool_address) known
   cross join unnest($1::text[]) with ordinality as given (id, place)
    join payment_intent intent on intent.id = given.id
    join chain on chain.id = intent.chain_ref`;

/** $1 ids, $2 the deposits' status. */
const DEPOSITS = `
  insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount, block_height,
    block_hash, block_time, status, confirmed_at, address_id, intent_id, merchant_id)
  select 'dep_' || substr(intent.id, 4), intent.chain_ref, intent.token_contract, '0x' || lpad(md5(intent.id), 64, '0'), 0,
         intent.address, intent.address, intent.crypto_amount, cursor.finalized_height, cursor.hash, now(), $2,
         case $2 when 'confirmed' then now() end, pool_address.id, intent.id, intent.merchant_id
    from payment_intent intent
    join pool_address on pool_address.intent_id = intent.id
    join chain_cursor cursor on cursor.chain_ref = intent.chain_ref
   where intent.id = any($1::text[])`;
