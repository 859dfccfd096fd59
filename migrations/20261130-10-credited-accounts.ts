import { Migration } from '@mikro-orm/migrations';

/**
 * Funds in other token accounts of our addresses are credited and swept. They have tables of their own, which the version before
 * does not read: it neither credits nor signs anything of them while both versions run, or when this one is taken back.
 */
export class CreditedAccountsMigration extends Migration {
  override name = '20261130-10-credited-accounts';

  override up(): void {
    // What an account holds above the books may be in a credited one too. First, so that nothing else is locked while it waits.
    this.addSql(`alter table unexplained_balance drop constraint unexplained_balance_chain_ref_account_fkey`);
    this.createCredited();
    this.createSwept();
    this.addSql(`
      alter table other_account
        add column obstacle text check (obstacle in ('frozen', 'delegated', 'foreign_close_authority', 'too_many'))`);
    // What the next search decides.
    this.addSql(`create index other_account_undecided on other_account (chain_ref) where obstacle is null`);
    this.guardRents();
  }

  private createCredited(): void {
    this.addSql(`
      create table credited_account (
        chain_ref text not null references chain,
        account text not null,
        address_id bigint not null references pool_address,
        token_contract text not null check (token_contract <> 'native'),
        obstacle text check (obstacle in ('frozen', 'delegated', 'foreign_close_authority', 'replaced')),
        failures int not null default 0 check (failures >= 0),
        retry_at timestamptz(3),
        admitted_at timestamptz(3) not null default now(),
        primary key (chain_ref, account, address_id, token_contract)
      )`);
    this.addSql(`create index credited_account_address on credited_account (address_id)`);
    this.addSql(`
      create function credited_account_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE'
            or (new.chain_ref, new.account, new.address_id, new.token_contract)
              is distinct from (old.chain_ref, old.account, old.address_id, old.token_contract) then
          raise exception 'a credited account stays as it is' using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger credited_account_guard before update or delete on credited_account
        for each row execute function credited_account_guard()`);
  }

  private createSwept(): void {
    this.addSql(`
      create table swept_account (
        sweep_id text not null,
        position int not null,
        chain_ref text not null,
        account text not null,
        address_id bigint not null,
        token_contract text not null,
        opens_account boolean not null,
        closes_account boolean not null,
        primary key (sweep_id, position),
        foreign key (sweep_id, position) references sweep_item,
        foreign key (chain_ref, account, address_id, token_contract) references credited_account
      )`);
    // What the listener takes off when it compares balances with the books.
    this.addSql(`create index swept_account_address on swept_account (address_id, chain_ref)`);
    this.addSql(`
      create function swept_account_guard() returns trigger language plpgsql as $$
      begin
        if not exists (
            select from sweep_item
             where sweep_id = new.sweep_id and position = new.position and chain_ref = new.chain_ref
               and address_id = new.address_id and token_contract = new.token_contract and swept is null
               and opens_account is null and authorization_nonce is null and cost_max is null) then
          raise exception 'sweep % takes nothing from this account', new.sweep_id
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger swept_account_guard before insert on swept_account
        for each row execute function swept_account_guard()`);
    this.addSql(`
      create trigger swept_account_append_only before update or delete on swept_account
        for each row execute function ledger_is_append_only()`);
    this.addSql(`
      create trigger swept_account_no_truncate before truncate on swept_account
        for each statement execute function ledger_is_append_only()`);
  }

  /** As before; an account beside the associated one is closed too. */
  private guardRents(): void {
    this.addSql(`
      create or replace function returned_rent_guard() returns trigger language plpgsql as $$
      begin
        if not exists (
            select from chain_transaction
             where purpose = 'sweep' and purpose_id = new.sweep_id and status = 'succeeded'
               and chain_ref = new.chain_ref and mined_height = new.height)
            or not exists (
              select from sweep_item where sweep_id = new.sweep_id and closes_account
              union all
              select from swept_account where sweep_id = new.sweep_id and closes_account) then
          raise exception 'sweep % closed no account', new.sweep_id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }
}
