import type { Stage } from './stage.ts';

/**
 * Adds what staff look at to a filled table of deposits: two unattributed ones for each hundred intents, a quarter of them in
 * suspense and some on their way back; of a thousand others ten late ones, and some that are on hold or reorged. Nine of ten
 * unusual payments are acknowledged. One intent in a thousand is quarantined.
 */
export async function loadOddDeposits(stage: Stage, rows: number): Promise<void> {
  await stage.query('begin');
  await stage.query(`set local session_replication_role = 'replica'`);
  await stage.query('set local statement_timeout = 0');
  await stage.query(UNATTRIBUTED, [Math.ceil(rows / 50)]);
  for (const change of MARKED) await stage.query(change);
  for (const acknowledged of ACKNOWLEDGED) await stage.query(acknowledged);
  await stage.query(QUARANTINED);
  await stage.query('commit');
  for (const table of ['deposit', 'acknowledgement', 'dirty_intent']) await stage.query(`vacuum analyze ${table}`);
}

/** $1 count. */
const UNATTRIBUTED = `
  insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount, block_height,
    block_hash, block_time, seen_at, status, confirmed_at, address_id, unattributed_reason, credited_at, held_as)
  select 'dep_01' || lpad(n::text, 24, '0'), chain.id, 'bench-DAI', '0xodd' || lpad(n::text, 61, '0'), 0, '0xfrom', '0xto',
         25000000, 1, '0x' || repeat('00', 32), at, at, 'confirmed', at, address.id, 'other_token', at,
         case when n % 40 = 0 then 'returning' when n % 4 = 0 then 'suspense' end
    from (select n, now() - ($1::int - n) * interval '1 year' / $1::int as at from generate_series(1, $1::int) n) numbered
   cross join (select id from chain limit 1) chain
   cross join (select id from pool_address where intent_id is not null limit 1) address`;

const drawn = (column: string): string => `abs(hashtext(${column})::bigint)`;
const MARKED = [
  `update deposit set late = true, seen_at = block_time where intent_id is not null and ${drawn('id')} % 100 = 0`,
  `update deposit set held_as = 'frozen', listed_sender_id = 1 where intent_id is not null and ${drawn('id')} % 1000 = 1`,
  `update deposit set held_as = 'kept', listed_sender_id = 1 where intent_id is not null and ${drawn('id')} % 1000 = 2`,
  `update deposit set gone_at = now() where intent_id is not null and ${drawn('id')} % 1000 = 3`,
];

const ACKNOWLEDGED = [
  ['payment_intent', `payment_intent where failure_code = 'underpaid' or overpaid_amount_cents > 0`],
  ['deposit', 'deposit where late'],
].map(
  ([kind, which]) => `
  insert into acknowledgement (subject_id, subject_kind, environment, author, note)
  select id, '${kind}', 'sandbox', 'kim@example.com', 'Known.'
    from (select id from ${which}) unusual where ${drawn('id')} / 1000 % 10 > 0`,
);

const QUARANTINED = `
  insert into dirty_intent (intent_id, failures, last_error, quarantined_at)
  select id, 5, 'bench', now() from payment_intent where ${drawn('id')} % 1000 = 4 on conflict do nothing`;
