import { Migration } from '@mikro-orm/migrations';

/**
 * On some networks no nonce excludes a second payment, but a transaction expires. Such a transaction has one version alone,
 * and its order may get another transaction only once final blocks have proven that the first is never mined.
 */
export class ExpiringPaymentsMigration extends Migration {
  override name = '20261126-60-expiring-payments';

  override up(): void {
    this.addSql(`
      alter table hot_wallet
        add column distrusted_at timestamptz(3) default now(),
        add column complete_height bigint`);
    this.addSql(`
      alter table fee_round
        alter column base_fee drop not null,
        alter column tip_standard drop not null,
        alter column tip_fast drop not null,
        add column details jsonb,
        add constraint fee_round_prices_check
          check (num_nulls(base_fee, tip_standard, tip_fast) = case when details is null then 0 else 3 end) not valid`);
    // Null where the chain counts no transactions of an address: such a snapshot waits until none is open that is older.
    this.addSql(`
      alter table stocktaking
        alter column nonce drop not null,
        drop constraint stocktaking_check2,
        add constraint stocktaking_check2 check ((booked is null) = (booked_height is null))`);
    this.addExpiry();
    this.guardAttempts();
    this.guardTransactions();
    this.freeOrders();
  }

  private addExpiry(): void {
    // Checked in a migration of its own, which locks out no writer.
    this.addSql(`
      alter table chain_transaction
        add column cost_max numeric(78,0) check (cost_max > 0),
        add column valid_after_height bigint,
        add column valid_after_hash text,
        add column valid_until bigint,
        add constraint chain_transaction_expiry_check
          check (num_nulls(cost_max, valid_after_height, valid_after_hash, valid_until) in (0, 4)) not valid,
        drop constraint chain_transaction_status_check,
        add constraint chain_transaction_status_check check (
          status in ('signed', 'succeeded', 'reverted', 'abandoned', 'superseded')
          or (status = 'expired' and valid_until is not null)) not valid`);
    this.addSql(`
      create table expiry_proof (
        transaction_id text primary key references chain_transaction,
        "until" bigint not null,
        nodes int not null check (nodes > 0),
        proven_at timestamptz(3) not null default now()
      )`);
    this.addSql(`
      create trigger expiry_proof_append_only before update or delete on expiry_proof
        for each row execute function ledger_is_append_only()`);
    this.addSql(`
      create trigger expiry_proof_no_truncate before truncate on expiry_proof
        for each statement execute function ledger_is_append_only()`);
  }

  /** The same bytes for two orders would pay one of them. */
  private guardAttempts(): void {
    this.addSql(`alter table transaction_attempt add column sole_on text`);
    this.addSql(`
      create unique index transaction_attempt_sole on transaction_attempt (sole_on, tx_hash) where sole_on is not null`);
    this.addSql(`
      create function transaction_attempt_guard() returns trigger language plpgsql as $$
      declare
        expires_on text := (select chain_ref from chain_transaction
                             where id = new.transaction_id and valid_until is not null);
      begin
        if new.sole_on is distinct from expires_on or (expires_on is not null and new.number > 1) then
          raise exception 'transaction % excludes no other version of it', new.transaction_id
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger transaction_attempt_guard before insert on transaction_attempt
        for each row execute function transaction_attempt_guard()`);
  }

  /** As before, with the terms and the highest cost of a transaction that expires, and the proof that one did. */
  private guardTransactions(): void {
    this.addSql(`
      create or replace function chain_transaction_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.status <> 'signed'
            or (new.id, new.chain_ref, new.purpose, new.purpose_id, new.sender, new.nonce, new.destination, new.value,
                new.data, new.gas_limit, new.token_contract, new.amount, new.cost_max, new.valid_after_height,
                new.valid_after_hash, new.valid_until)
              is distinct from
               (old.id, old.chain_ref, old.purpose, old.purpose_id, old.sender, old.nonce, old.destination, old.value,
                old.data, old.gas_limit, old.token_contract, old.amount, old.cost_max, old.valid_after_height,
                old.valid_after_hash, old.valid_until) then
          raise exception 'an outgoing transaction keeps its terms, and ends once'
            using errcode = 'integrity_constraint_violation';
        end if;
        if new.mined_hash is not null and not exists (
            select from transaction_attempt attempt
             where attempt.transaction_id = new.id and attempt.tx_hash = new.mined_hash
               and new.fee_paid <= coalesce(new.cost_max, new.gas_limit * attempt.max_fee_per_gas)) then
          raise exception 'transaction % was not mined as %', new.id, new.mined_hash
            using errcode = 'integrity_constraint_violation';
        end if;
        if new.status = 'abandoned' and exists (select from chain where id = new.chain_ref and active) then
          raise exception 'the chain of transaction % may still mine it', new.id
            using errcode = 'integrity_constraint_violation';
        end if;
        if new.status = 'expired' and not exists (select from expiry_proof where transaction_id = new.id) then
          raise exception 'no final block proves that transaction % is never mined', new.id
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }

  /** An expired transaction frees its order as a superseded one does. */
  private freeOrders(): void {
    this.addSql(`
      create or replace function all_superseded(of_purpose text, of_id text) returns boolean language sql stable as $$
        select coalesce(bool_and(status in ('superseded', 'expired')), false) from chain_transaction
         where purpose = of_purpose and purpose_id = of_id
      $$`);
    // A payment without a call names its payee as the destination.
    this.addSql(`drop index chain_transaction_reverted`);
    this.addSql(`
      create index chain_transaction_reverted on chain_transaction
        (chain_ref, token_contract,
         (case when token_contract = 'native' or data = '' then destination else '0x' || substr(data, 35, 40) end), finished_at)
        where status = 'reverted' and purpose in ('withdrawal', 'deposit_return')`);
    // The new index comes first, so that no moment is without one.
    this.addSql(`
      create unique index chain_transaction_of_order
        on chain_transaction (purpose, purpose_id, (case when status in ('superseded', 'expired') then id else '' end))`);
    this.addSql(`drop index chain_transaction_order`);
  }
}
