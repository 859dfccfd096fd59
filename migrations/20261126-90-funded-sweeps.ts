import { Migration } from '@mikro-orm/migrations';

/**
 * On some networks a deposit address pays the fee of its own sweep, with coins that the hot wallet sends it first. Such coins
 * are no deposit.
 */
export class FundedSweepsMigration extends Migration {
  override name = '20261126-90-funded-sweeps';

  override up(): void {
    this.addCoins();
    this.addCosts();
    this.guardItems();
    this.createFundings();
    this.guardFundings();
    this.guardSweeps();
    this.createSeenFundings();
  }

  /** What fundings brought to an address, and what its sweeps burned there. */
  private addCoins(): void {
    // Checked in a migration of its own, which locks out no writer.
    this.addSql(`
      alter table deposit_balance
        add column funded numeric(78,0) not null default 0 check (funded >= 0),
        add column burned numeric(78,0) not null default 0 check (burned >= 0),
        add constraint deposit_balance_coins_check
          check (token_contract = 'native' or (funded = 0 and burned = 0)) not valid`);
    this.addSql(`
      create index deposit_balance_held on deposit_balance
        (chain_ref, token_contract, (received + funded - swept - burned) desc)
        where received + funded - swept - burned > 0 and sweep_id is null and set_aside_reason is null`);
    this.addSql(`drop index deposit_balance_to_sweep`);
    this.addSql(`
      create or replace function deposit_balance_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or new.received < old.received or new.swept < old.swept or new.funded < old.funded
            or new.burned < old.burned
            or (new.chain_ref, new.token_contract, new.address_id)
              is distinct from (old.chain_ref, old.token_contract, old.address_id) then
          raise exception 'what was received and what was swept only grow'
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }

  /** What a sweep may burn at its address, and what it burned. */
  private addCosts(): void {
    this.addSql(`
      alter table sweep_item
        add column cost_max numeric(78,0) check (cost_max > 0),
        add column burned numeric(78,0) check (burned >= 0),
        add column burned_height bigint,
        add constraint sweep_item_costs_check check (
          (burned is null or cost_max is not null)
          and (burned_height is not null) = (burned is not null and burned > 0)
          and (cost_max is null or (opens_account is false and closes_account is false and position = 0))) not valid`);
    // Its coins pay for one sweep at a time.
    this.addSql(`
      create unique index sweep_item_alone on sweep_item (chain_ref, address_id)
        where cost_max is not null and swept is null`);
    // What the listener takes off when it compares balances of the coin with the books.
    this.addSql(`
      create index sweep_item_costs on sweep_item (address_id, chain_ref)
        where cost_max is not null and (swept is null or burned > 0)`);
    this.addSql(`
      alter table chain_transaction
        drop constraint chain_transaction_purpose_check,
        drop constraint chain_transaction_amount_check,
        add constraint chain_transaction_purpose_check
          check (purpose in ('withdrawal', 'sweep', 'contract', 'deposit_return', 'loss', 'funding')) not valid,
        add constraint chain_transaction_amount_check
          check (case when purpose in ('withdrawal', 'deposit_return') then amount > 0
                      when purpose = 'funding' then amount > 0 and value = amount and token_contract = 'native'
                      when purpose = 'loss' then amount >= 0
                      else amount = 0 and value = 0 end) not valid`);
  }

  /** As before, with what an item may burn among its terms, and the transaction that burned it. */
  private guardItems(): void {
    this.addSql(`
      create or replace function sweep_item_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.swept is not null
            or (new.sweep_id, new.position, new.chain_ref, new.token_contract, new.address_id, new.expected,
                new.authorization_nonce, new.opens_account, new.closes_account, new.cost_max)
              is distinct from
               (old.sweep_id, old.position, old.chain_ref, old.token_contract, old.address_id, old.expected,
                old.authorization_nonce, old.opens_account, old.closes_account, old.cost_max) then
          raise exception 'an item of a sweep keeps its terms, and ends once'
            using errcode = 'integrity_constraint_violation';
        end if;
        if new.swept > 0 and not exists (
            select from chain_transaction
             where purpose = 'sweep' and purpose_id = new.sweep_id and status = 'succeeded'
               and mined_height = new.swept_height) then
          raise exception 'sweep % moved nothing', new.sweep_id using errcode = 'integrity_constraint_violation';
        end if;
        if new.burned > 0 and not exists (
            select from chain_transaction
             where purpose = 'sweep' and purpose_id = new.sweep_id and status in ('succeeded', 'reverted')
               and mined_height = new.burned_height and fee_paid = new.burned) then
          raise exception 'sweep % burned nothing', new.sweep_id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }

  private createFundings(): void {
    this.addSql(`
      create table funding (
        id text primary key,
        sweep_id text not null unique references sweep,
        chain_ref text not null references hot_wallet,
        address_id bigint not null references pool_address,
        amount numeric(78,0) not null check (amount > 0),
        waiting_reason text,
        created_at timestamptz(3) not null default now(),
        signed_at timestamptz(3),
        finished_at timestamptz(3),
        arrived numeric(78,0) check (arrived in (0, amount)),
        arrived_height bigint,
        check ((finished_at is null) = (arrived is null)),
        check ((arrived_height is not null) = (arrived is not null and arrived > 0))
      )`);
    this.addSql(`
      create index funding_to_sign on funding (created_at, id) where finished_at is null and signed_at is null`);
    this.addSql(`create index funding_address on funding (address_id, chain_ref) where arrived > 0`);
    this.addSql(`
      create trigger funding_no_truncate before truncate on funding
        for each statement execute function ledger_is_append_only()`);
  }

  private guardFundings(): void {
    this.addSql(`
      create function funding_insert_guard() returns trigger language plpgsql as $$
      begin
        if new.finished_at is not null or not exists (
            select from sweep_item
             where sweep_id = new.sweep_id and chain_ref = new.chain_ref and address_id = new.address_id
               and swept is null and cost_max >= new.amount) then
          raise exception 'a funding pays for the sweep of its address' using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger funding_insert_guard before insert on funding for each row execute function funding_insert_guard()`);
    this.addSql(`
      create function funding_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.finished_at is not null
            or (new.id, new.sweep_id, new.chain_ref, new.address_id, new.amount, new.created_at)
              is distinct from (old.id, old.sweep_id, old.chain_ref, old.address_id, old.amount, old.created_at)
            or (old.signed_at is not null and new.signed_at is distinct from old.signed_at
                and not (new.signed_at is null and all_superseded('funding', new.id))) then
          raise exception 'a funding keeps its terms, and ends once' using errcode = 'integrity_constraint_violation';
        end if;
        if new.finished_at is not null and exists (
            select from chain_transaction where purpose = 'funding' and purpose_id = new.id and status = 'signed') then
          raise exception 'funding % may still be mined', new.id using errcode = 'integrity_constraint_violation';
        end if;
        if new.arrived is not null and (new.arrived > 0) <> exists (
            select from chain_transaction
             where purpose = 'funding' and purpose_id = new.id and status = 'succeeded'
               and (new.arrived = 0 or mined_height = new.arrived_height)) then
          raise exception 'funding % did not bring this', new.id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger funding_guard before update or delete on funding for each row execute function funding_guard()`);
  }

  /** As before, and a sweep is neither signed nor ended before its funding has ended. */
  private guardSweeps(): void {
    this.addSql(`
      create or replace function sweep_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.finished_at is not null
            or (new.id, new.chain_ref, new.reason, new.delegate, new.batch, new.created_at)
              is distinct from (old.id, old.chain_ref, old.reason, old.delegate, old.batch, old.created_at)
            or (old.signed_at is not null and new.signed_at is distinct from old.signed_at) then
          raise exception 'a sweep keeps its terms, and ends once' using errcode = 'integrity_constraint_violation';
        end if;
        if new.finished_at is not null and exists (
            select from chain_transaction where purpose = 'sweep' and purpose_id = new.id and status = 'signed') then
          raise exception 'sweep % may still be mined', new.id using errcode = 'integrity_constraint_violation';
        end if;
        if (new.finished_at is not null or (new.signed_at is not null and old.signed_at is null))
            and exists (select from funding where sweep_id = new.id and finished_at is null) then
          raise exception 'the funding of sweep % has not ended', new.id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }

  /** What blocks show of the hot wallet's transfers to deposit addresses, also of those that a restored database lacks. */
  private createSeenFundings(): void {
    this.addSql(`
      create table seen_funding (
        chain_ref text not null references chain,
        tx_hash text not null,
        address_id bigint not null references pool_address,
        amount numeric(78,0) not null check (amount > 0),
        block_height bigint not null,
        block_hash text not null,
        primary key (chain_ref, tx_hash)
      )`);
    this.addSql(`create index seen_funding_address on seen_funding (address_id, chain_ref)`);
    this.addSql(`create index seen_funding_block on seen_funding (chain_ref, block_height)`);
  }
}
