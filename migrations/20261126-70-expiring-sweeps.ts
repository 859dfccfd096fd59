import { Migration } from '@mikro-orm/migrations';

/**
 * Sweeps of chains whose transactions expire need no contracts. They may open accounts of the hot wallet and close accounts of
 * deposit addresses, whose rent the hot wallet gets.
 */
export class ExpiringSweepsMigration extends Migration {
  override name = '20261126-70-expiring-sweeps';

  override up(): void {
    // Checked in a migration of its own, which locks out no writer.
    this.addSql(`
      alter table sweep
        alter column delegate drop not null,
        alter column batch drop not null,
        add constraint sweep_contracts_check check ((delegate is null) = (batch is null)) not valid`);
    this.addSql(`
      alter table sweep_item
        add column opens_account boolean,
        add column closes_account boolean,
        add constraint sweep_item_accounts_check check (
          (opens_account is null) = (closes_account is null)
          and (opens_account is null or authorization_nonce is null)
          and (token_contract <> 'native' or (opens_account is not true and closes_account is not true))) not valid`);
    // What the listener takes off when it compares balances with the books.
    this.addSql(`
      create index sweep_item_accounts on sweep_item (address_id, chain_ref) where opens_account is not null`);
    this.guardItems();
    this.createReturnedRent();
  }

  /** As before, with the accounts that an item opens and closes among its terms. */
  private guardItems(): void {
    this.addSql(`
      create or replace function sweep_item_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.swept is not null
            or (new.sweep_id, new.position, new.chain_ref, new.token_contract, new.address_id, new.expected,
                new.authorization_nonce, new.opens_account, new.closes_account)
              is distinct from
               (old.sweep_id, old.position, old.chain_ref, old.token_contract, old.address_id, old.expected,
                old.authorization_nonce, old.opens_account, old.closes_account) then
          raise exception 'an item of a sweep keeps its terms, and ends once'
            using errcode = 'integrity_constraint_violation';
        end if;
        if new.swept > 0 and not exists (
            select from chain_transaction
             where purpose = 'sweep' and purpose_id = new.sweep_id and status = 'succeeded'
               and mined_height = new.swept_height) then
          raise exception 'sweep % moved nothing', new.sweep_id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }

  /** What a sweep gave the hot wallet beside the funds of its items. */
  private createReturnedRent(): void {
    this.addSql(`
      create table returned_rent (
        sweep_id text primary key references sweep,
        chain_ref text not null references hot_wallet,
        amount numeric(78,0) not null check (amount > 0),
        height bigint not null
      )`);
    this.addSql(`create index returned_rent_height on returned_rent (chain_ref, height)`);
    this.addSql(`
      create function returned_rent_guard() returns trigger language plpgsql as $$
      begin
        if not exists (
            select from chain_transaction
             where purpose = 'sweep' and purpose_id = new.sweep_id and status = 'succeeded'
               and chain_ref = new.chain_ref and mined_height = new.height)
            or not exists (select from sweep_item where sweep_id = new.sweep_id and closes_account) then
          raise exception 'sweep % closed no account', new.sweep_id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger returned_rent_guard before insert on returned_rent
        for each row execute function returned_rent_guard()`);
    this.addSql(`
      create trigger returned_rent_append_only before update or delete on returned_rent
        for each row execute function ledger_is_append_only()`);
    this.addSql(`
      create trigger returned_rent_no_truncate before truncate on returned_rent
        for each statement execute function ledger_is_append_only()`);
  }
}
