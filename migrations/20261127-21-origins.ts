import { Migration } from '@mikro-orm/migrations';

/**
 * The API call that made an intent or a withdrawal: its key and its request. Null for rows of the version before. Without
 * foreign keys: a check of the key would lock its row for every intent.
 */
export class OriginsMigration extends Migration {
  override name = '20261127-21-origins';

  override up(): void {
    for (const table of ['payment_intent', 'withdrawal']) {
      this.addSql(`alter table ${table} add column api_key_id text, add column request_id text`);
    }
    this.guardIntents();
    this.guardWithdrawals();
  }

  /** As before, and the origin never changes. The chain's row has a guard of its own. */
  private guardIntents(): void {
    this.addSql(`
      create or replace function payment_intent_guard() returns trigger language plpgsql as $$
      begin
        if old.status in ('completed', 'failed', 'cancelled', 'expired') then
          raise exception 'payment intent % is %, which is terminal', old.id, old.status
            using errcode = 'integrity_constraint_violation';
        end if;
        if tg_op = 'DELETE' then
          return old;
        end if;
        if new.status <> old.status and (old.status, new.status) not in (
          ('created', 'requires_action'), ('created', 'cancelled'), ('created', 'expired'),
          ('requires_action', 'processing'), ('requires_action', 'cancelled'), ('requires_action', 'expired'),
          ('processing', 'completed'), ('processing', 'failed'), ('processing', 'expired')
        ) then
          raise exception 'payment intent % cannot go from % to %', old.id, old.status, new.status
            using errcode = 'integrity_constraint_violation';
        end if;
        if old.address is not null
            and (new.address, new.crypto_amount, new.token_price, new.token_price_cents, new.price_round_id,
                 new.token_contract, new.token_decimals)
              is distinct from
                (old.address, old.crypto_amount, old.token_price, old.token_price_cents, old.price_round_id,
                 old.token_contract, old.token_decimals) then
          raise exception 'the quote of payment intent % is locked', old.id
            using errcode = 'integrity_constraint_violation';
        end if;
        if (new.id, new.merchant_id, new.environment, new.amount_cents, new.currency, new.settlement_currency,
            new.network, new.token, new.tolerance_bps, new.created_at, new.api_key_id, new.request_id)
          is distinct from
           (old.id, old.merchant_id, old.environment, old.amount_cents, old.currency, old.settlement_currency,
            old.network, old.token, old.tolerance_bps, old.created_at, old.api_key_id, old.request_id) then
          raise exception 'what payment intent % was created with is immutable', old.id
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }

  /** As before, and the origin never changes. */
  private guardWithdrawals(): void {
    this.addSql(`
      create or replace function withdrawal_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.status <> 'broadcasting'
            or (new.id, new.merchant_id, new.environment, new.pocket_id, new.chain_ref, new.network, new.token,
                new.token_contract, new.token_decimals, new.minor_unit_exponent, new.amount_cents, new.amount,
                new.network_fee_cents, new.fee_amount, new.destination, new.destination_key, new.fee_strategy,
                new.reference, new.created_at, new.api_key_id, new.request_id)
              is distinct from
               (old.id, old.merchant_id, old.environment, old.pocket_id, old.chain_ref, old.network, old.token,
                old.token_contract, old.token_decimals, old.minor_unit_exponent, old.amount_cents, old.amount,
                old.network_fee_cents, old.fee_amount, old.destination, old.destination_key, old.fee_strategy,
                old.reference, old.created_at, old.api_key_id, old.request_id)
            or (old.signed_at is not null and new.signed_at is distinct from old.signed_at
                and not (new.signed_at is null and new.tx_hash is null and new.status = 'broadcasting'
                         and all_superseded('withdrawal', new.id))) then
          raise exception 'a withdrawal keeps its terms, and ends once' using errcode = 'integrity_constraint_violation';
        end if;
        if new.status = 'completed' and not exists (
            select from chain_transaction
             where purpose = 'withdrawal' and purpose_id = new.id and status = 'succeeded'
               and mined_hash = new.tx_hash) then
          raise exception 'withdrawal % was not paid by %', new.id, new.tx_hash
            using errcode = 'integrity_constraint_violation';
        end if;
        if new.status = 'failed' and exists (
            select from chain_transaction
             where purpose = 'withdrawal' and purpose_id = new.id and status in ('signed', 'succeeded')) then
          raise exception 'withdrawal % may be paid already', new.id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }
}
