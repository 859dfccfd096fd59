import { Migration } from '@mikro-orm/migrations';

/** What operators did to money on its way out, and when a vault was last seen open. */
export class OperatorsMigration extends Migration {
  override name = '20261121-20-operators';

  override up(): void {
    this.addSql(`
      create table audit_entry (
        id bigint generated always as identity primary key,
        actor text not null,
        action text not null,
        subject text not null,
        reason text,
        details jsonb not null,
        created_at timestamptz(3) not null default clock_timestamp()
      )`);
    this.addSql(`create index audit_entry_subject on audit_entry (subject, id)`);
    this.addSql(`
      create trigger audit_entry_append_only before update or delete on audit_entry
        for each row execute function ledger_is_append_only()`);
    this.addSql(`
      create trigger audit_entry_no_truncate before truncate on audit_entry
        for each statement execute function ledger_is_append_only()`);
    // One row: no other process can tell whether the vault is open.
    this.addSql(`
      create table vault_presence (
        id int primary key check (id = 1),
        seen_at timestamptz(3) not null
      )`);
  }
}
