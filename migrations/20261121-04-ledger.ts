import { Migration } from '@mikro-orm/migrations';

/**
 * Double entry in smallest units. The database alone refuses an unbalanced entry, a posting in another asset or
 * environment than its account's, an overdrawn pocket, and any change of what was booked.
 */
export class LedgerMigration extends Migration {
  override name = '20261121-04-ledger';

  override up(): void {
    this.createTables();
    this.addSql(`
      create function ledger_is_append_only() returns trigger language plpgsql as $$
      begin
        raise exception 'the ledger is append-only: % on % is refused', tg_op, tg_table_name
          using errcode = 'integrity_constraint_violation';
      end $$`);
    for (const table of ['entry', 'posting']) {
      this.addSql(`
        create trigger ${table}_append_only before update or delete on ${table}
          for each row execute function ledger_is_append_only()`);
      this.addSql(`
        create trigger ${table}_no_truncate before truncate on ${table}
          for each statement execute function ledger_is_append_only()`);
    }
    this.keepBalances();
    this.demandBalance();
  }

  private createTables(): void {
    this.addSql(`
      create table account (
        id bigint generated always as identity primary key,
        kind text not null check (kind in ('pocket_available', 'pocket_held', 'chain')),
        environment text not null check (environment in ('sandbox', 'live')),
        asset text not null,
        merchant_id text references merchant,
        balance numeric(78,0) check (balance >= 0),
        unique (id, asset, environment),
        unique nulls not distinct (kind, environment, asset, merchant_id),
        check ((merchant_id is not null) = (kind in ('pocket_available', 'pocket_held'))),
        check ((balance is not null) = (kind in ('pocket_available', 'pocket_held')))
      )`);
    this.addSql(`
      create table entry (
        id text primary key,
        reference text not null unique,
        kind text not null,
        content_hash text not null,
        created_at timestamptz(3) not null default now()
      )`);
    this.addSql(`
      create table posting (
        id bigint generated always as identity primary key,
        entry_id text not null references entry,
        account_id bigint not null,
        asset text not null,
        environment text not null,
        amount numeric(78,0) not null check (amount <> 0),
        unique (entry_id, account_id),
        foreign key (account_id, asset, environment) references account (id, asset, environment)
      )`);
    this.addSql(`create index posting_account on posting (account_id, id desc)`);
    this.addSql(`
      create table pocket (
        id text primary key,
        merchant_id text not null references merchant,
        environment text not null check (environment in ('sandbox', 'live')),
        network text not null,
        token text not null,
        token_contract text not null,
        token_decimals int not null,
        minor_unit_exponent int not null,
        available_account_id bigint not null unique references account,
        held_account_id bigint not null unique references account,
        created_at timestamptz(3) not null default now(),
        unique (merchant_id, environment, network, token_contract)
      )`);
  }

  /**
   * Cached balances exist for pockets only (chain accounts would be hot rows). They start at zero and move with the
   * posting itself, in its trigger and nowhere else.
   */
  private keepBalances(): void {
    this.addSql(`
      create function account_guard() returns trigger language plpgsql as $$
      begin
        if (tg_op = 'INSERT' and coalesce(new.balance, 0) = 0) or (tg_op = 'UPDATE' and pg_trigger_depth() > 1) then
          return new;
        end if;
        raise exception 'an account starts empty and changes by postings only'
          using errcode = 'integrity_constraint_violation';
      end $$`);
    this.addSql(`
      create trigger account_guard before insert or update or delete on account
        for each row execute function account_guard()`);
    this.addSql(`
      create function posting_moves_balance() returns trigger language plpgsql as $$
      begin
        update account set balance = balance + new.amount where id = new.account_id and balance is not null;
        return null;
      end $$`);
    this.addSql(`
      create trigger posting_moves_balance after insert on posting
        for each row execute function posting_moves_balance()`);
  }

  private demandBalance(): void {
    this.addSql(`
      create function entry_balances() returns trigger language plpgsql as $$
      declare
        checked text := case tg_table_name when 'entry' then to_jsonb(new)->>'id' else to_jsonb(new)->>'entry_id' end;
      begin
        if not exists (select from posting where entry_id = checked)
            or exists (select from posting where entry_id = checked group by asset having sum(amount) <> 0) then
          raise exception 'entry % does not balance', checked using errcode = 'integrity_constraint_violation';
        end if;
        return null;
      end $$`);
    for (const table of ['entry', 'posting']) {
      this.addSql(`
        create constraint trigger ${table}_balances after insert on ${table}
          deferrable initially deferred for each row execute function entry_balances()`);
    }
  }
}
