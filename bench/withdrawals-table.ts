import { POCKETS_OF_MERCHANT, pocketId } from './pockets-table.ts';
import type { Stage } from './stage.ts';

/** The address that one in a hundred withdrawals goes to. */
export const DESTINATION = `0x${'cd'.repeat(20)}`;

/**
 * Fills the tables of withdrawals and entries with a year each, in the pockets of these merchants: nine of ten rows belong to
 * the first one, and most of these to its first pocket. One withdrawal in 20 failed; the newest one of each pocket is under
 * way. Each entry is that of the deposit with its number, and does not add up with the balances.
 */
export async function loadMoney(stage: Stage, rows: number, merchantIds: readonly string[]): Promise<void> {
  await stage.query('begin');
  // Referential checks and guards, row by row, would take longer than the rows.
  await stage.query(`set local session_replication_role = 'replica'`);
  await stage.query('set local statement_timeout = 0');
  await stage.query(WITHDRAWALS, [rows, merchantIds.length]);
  await stage.query(UNDER_WAY);
  await stage.query(ENTRIES, [rows]);
  await stage.query(CHAIN_ACCOUNT);
  await stage.query(POSTINGS, [rows, merchantIds.length]);
  await stage.query('commit');
  for (const table of ['withdrawal', 'entry', 'posting']) await stage.query(`vacuum analyze ${table}`);
}

/** Row n, with its time and the number of its pocket: $1 count, $2 merchants. */
const NUMBERED = `
  (select n, now() - ($1::int - n) * interval '1 year' / $1::int as at, h,
          (case when h % 10 < 9 then 0 else 1 + h / 10 % ($2::int - 1) end) * ${POCKETS_OF_MERCHANT} +
          (case when h % 3 < 2 then 1 else 1 + h / 1000 % ${POCKETS_OF_MERCHANT} end) as pocket
     from (select n, abs(hashint4(n)::bigint) as h from generate_series(1, $1::int) n) drawn) numbered`;

const WITHDRAWALS = `
  insert into withdrawal (id, merchant_id, environment, pocket_id, chain_ref, network, token, token_contract,
    token_decimals, minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination,
    destination_key, fee_strategy, reference, status, tx_hash, failure_code, failure_message, created_at, updated_at,
    signed_at, completed_at)
  select 'wd_00' || lpad(n::text, 24, '0'), pocket.merchant_id, 'sandbox', pocket.id, chain.id, pocket.network, pocket.token,
         pocket.token_contract, 6, 2, 1000, 10000000, 1, 10000, destination, destination, 'standard', 'payout-' || n,
         status, case status when 'completed' then '0x' || lpad(to_hex(n), 64, '0') end,
         case status when 'failed' then 'cancelled' end, case status when 'failed' then 'Cancelled.' end,
         at, at, at, case status when 'completed' then at end
    from ${NUMBERED}
   cross join lateral (
     select case when h / 7 % 20 = 0 then 'failed' else 'completed' end as status,
            case when h / 11 % 100 = 0 then '${DESTINATION}' else '0x' || md5(n::text) || substr(md5('of ' || n), 1, 8) end as destination
   ) chosen
    join pocket on pocket.id = ${pocketId('numbered.pocket')}
   cross join (select id from chain limit 1) chain
   order by n`;

const UNDER_WAY = `
  update withdrawal
     set status = 'broadcasting', completed_at = null, tx_hash = null, failure_code = null, failure_message = null
    from pocket cross join lateral (
      select id from withdrawal where pocket_id = pocket.id order by created_at desc, id desc limit 1) newest
   where withdrawal.id = newest.id`;

const ENTRIES = `
  insert into entry (id, reference, kind, content_hash, created_at)
  select 'ent_00' || lpad(n::text, 24, '0'), 'deposit:dep_00' || lpad(n::text, 24, '0'), 'deposit', '',
         now() - ($1::int - n) * interval '1 year' / $1::int
    from generate_series(1, $1::int) n`;

const CHAIN_ACCOUNT = `
  insert into account (kind, environment, asset, merchant_id, balance)
  values ('chain', 'sandbox', 'bench', null, null)`;

/** In the order of the entries, since pages are read by the numbers of the postings. */
const POSTINGS = `
  insert into posting (entry_id, account_id, asset, environment, amount)
  select 'ent_00' || lpad(n::text, 24, '0'), case leg when 1 then pocket.available_account_id else chain.id end, 'bench',
         'sandbox', leg * 25000000
    from ${NUMBERED}
    join pocket on pocket.id = ${pocketId('numbered.pocket')}
   cross join (select id from account where asset = 'bench') chain
   cross join (values (1), (-1)) legs (leg)
   order by n, leg`;
