/**
 * The statements of the service for one withdrawal, except the claim and the kept answer of every write and the entry of
 * every booking, word for word (`same-statements.ts` compares them in PostgreSQL's log). Each runs as a named prepared
 * statement, as in the service.
 */
const text = (name: string, sql: string): { readonly name: string; readonly text: string } => ({ name, text: sql });

export const LOCK_POCKET = text(
  'lock_pocket',
  `select * from pocket where id = $1 and merchant_id = $2 and environment = $3 for no key update`,
);

export const BALANCE = text('balance', `select balance from account where id = $1`);

export const REFUSED = text(
  'refused',
  `select from chain_token where contract = $1 union all select from hot_wallet where address_key = $1 limit 1`,
);

export const FEES = text(
  'fees',
  `select id, base_fee, tip_standard, tip_fast
     from (select * from fee_round where chain_ref = $1 order by taken_at desc limit 1) newest
    where taken_at > clock_timestamp() - make_interval(secs => $2::int)`,
);

export const IS_LISTED = text(
  'is_listed',
  `select current.source, current.published_on::text as "publishedOn", listed.name, listed.id is not null as "isListed"
    from (select source, published_on from sanctions_import order by id desc limit 1) current
    left join sanctioned_address listed
      on listed.family = $1 and listed.address_key = $2 and listed.removed_in is null`,
);

export const IN_FLIGHT = text('in_flight', `select from withdrawal where pocket_id = $1 and status = 'broadcasting'`);

export const INSERT_WITHDRAWAL = text(
  'insert_withdrawal',
  `insert into withdrawal (id, merchant_id, environment, pocket_id, chain_ref, network, token, token_contract,
     token_decimals, minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination,
     destination_key, fee_strategy, reference, status, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, 'broadcasting', now(), now())
   returning *`,
);
