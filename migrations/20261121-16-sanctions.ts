import { Migration } from '@mikro-orm/migrations';

/**
 * Sanctions lists as they were imported, and for each address the time during which it was listed: from one import to
 * another, or until now. Nothing is forgotten: a screening of last year can be judged by the list of last year.
 */
export class SanctionsMigration extends Migration {
  override name = '20261121-16-sanctions';

  override up(): void {
    this.createTables();
    this.keepHistory();
  }

  private createTables(): void {
    // The newest is the current one.
    this.addSql(`
      create table sanctions_import (
        id bigint generated always as identity primary key,
        source text not null,
        published_on date not null,
        addresses int not null check (addresses > 0),
        content_hash text not null check (content_hash ~ '^[0-9a-f]{64}$'),
        imported_at timestamptz(3) not null default now()
      )`);
    this.addSql(`
      create table sanctioned_address (
        id bigint generated always as identity primary key,
        family text not null check (family in ('evm', 'solana', 'tron', 'other')),
        address_key text not null,
        name text,
        added_in bigint not null references sanctions_import,
        removed_in bigint references sanctions_import,
        check (removed_in > added_in),
        check (family <> 'evm' or address_key = lower(address_key))
      )`);
    this.addSql(`
      create unique index sanctioned_address_current on sanctioned_address (family, address_key)
        where removed_in is null`);
  }

  private keepHistory(): void {
    this.addSql(`
      create function sanctioned_address_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.removed_in is not null
            or (new.id, new.family, new.address_key, new.added_in)
              is distinct from (old.id, old.family, old.address_key, old.added_in) then
          raise exception 'a listing keeps its address, and ends once' using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger sanctioned_address_guard before update or delete on sanctioned_address
        for each row execute function sanctioned_address_guard()`);
    this.addSql(`
      create trigger sanctions_import_append_only before update or delete on sanctions_import
        for each row execute function ledger_is_append_only()`);
    for (const table of ['sanctions_import', 'sanctioned_address']) {
      this.addSql(`
        create trigger ${table}_no_truncate before truncate on ${table}
          for each statement execute function ledger_is_append_only()`);
    }
  }
}
