import { Migration } from '@mikro-orm/migrations';

/**
 * What audits of the books find: all of it, so that what is known hides nothing that comes later. When a hot wallet was last
 * compared with the books. Coins that are missing there and that staff have booked out. And that a chain on which
 * transactions were given up is never used again.
 */
export class FindingsMigration extends Migration {
  override name = '20261121-34-findings';

  override up(): void {
    this.addSql(`alter table books_audit add column findings jsonb not null default '[]'`);
    this.addSql(`alter table stocktaking add column compared_at timestamptz(3)`);
    this.createShortages();
    this.keepGoneChainsAway();
  }

  /** No more is booked out than the newest comparison found to be missing, and that once. */
  private createShortages(): void {
    this.addSql(`
      create table shortage (
        id text primary key,
        chain_ref text not null references hot_wallet,
        token_contract text not null,
        amount numeric(78,0) not null check (amount > 0),
        height bigint not null,
        booked_at timestamptz(3) not null default now(),
        unique (chain_ref, token_contract, height)
      )`);
    this.addSql(`
      create function shortage_guard() returns trigger language plpgsql as $$
      begin
        if not exists (select from audit_entry where action = 'treasury.write_off' and subject = new.id) then
          raise exception 'nobody decided to book out %', new.id using errcode = 'integrity_constraint_violation';
        end if;
        if not exists (
            select from stocktaking
             where (chain_ref, token_contract, booked_height, missing)
                 = (new.chain_ref, new.token_contract, new.height, new.amount)) then
          raise exception 'this is not what is missing of % on %', new.token_contract, new.chain_ref
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger shortage_guard before insert on shortage for each row execute function shortage_guard()`);
    this.addSql(`
      create trigger shortage_append_only before update or delete on shortage
        for each row execute function ledger_is_append_only()`);
    this.addSql(`
      create trigger shortage_no_truncate before truncate on shortage
        for each statement execute function ledger_is_append_only()`);
  }

  /** What was given up was given back: were its chain in use again, it might be mined there all the same. */
  private keepGoneChainsAway(): void {
    this.addSql(`
      create index chain_transaction_abandoned on chain_transaction (chain_ref) where status = 'abandoned'`);
    this.addSql(`
      create function chain_stays_gone() returns trigger language plpgsql as $$
      begin
        if exists (select from chain_transaction where chain_ref = new.id and status = 'abandoned') then
          raise exception 'transactions of the chain % were given up and their money given back: it is not used again', new.id
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger chain_stays_gone before update on chain
        for each row when (new.active and not old.active) execute function chain_stays_gone()`);
  }
}
