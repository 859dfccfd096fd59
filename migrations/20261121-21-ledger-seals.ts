import { Migration } from '@mikro-orm/migrations';

/**
 * A hash chain over the entries, and the audits of the books. Entries are sealed after their commit, in one order, by one
 * sealer; `unsealed_entry` tells what waits for it. The database alone refuses a seal that does not follow from the one
 * before it.
 */
export class LedgerSealsMigration extends Migration {
  override name = '20261121-21-ledger-seals';

  override up(): void {
    this.createSeals();
    this.queueEntries();
    this.guardChain();
    this.createAudits();
  }

  private createSeals(): void {
    this.addSql(`
      create table ledger_seal (
        sequence bigint primary key check (sequence > 0),
        entry_id text not null unique references entry,
        content_hash text not null,
        hash text not null,
        created_at timestamptz(3) not null default now()
      )`);
    this.addSql(`
      create trigger ledger_seal_append_only before update or delete on ledger_seal
        for each row execute function ledger_is_append_only()`);
    this.addSql(`
      create trigger ledger_seal_no_truncate before truncate on ledger_seal
        for each statement execute function ledger_is_append_only()`);
  }

  private queueEntries(): void {
    this.addSql(`create table unsealed_entry (entry_id text primary key references entry)`);
    this.addSql(`insert into unsealed_entry (entry_id) select id from entry`);
    this.addSql(`
      create function entry_waits_for_seal() returns trigger language plpgsql as $$
      begin
        insert into unsealed_entry (entry_id) select id from written;
        return null;
      end $$`);
    this.addSql(`
      create trigger entry_waits_for_seal after insert on entry referencing new table as written
        for each statement execute function entry_waits_for_seal()`);
  }

  private guardChain(): void {
    this.addSql(`
      create function ledger_seal_guard() returns trigger language plpgsql as $$
      declare
        previous text := case when new.sequence = 1 then repeat('0', 64)
                              else (select hash from ledger_seal where sequence = new.sequence - 1) end;
        sealed text := (select concat_ws('|', previous, new.sequence, id,
                                         to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                                         content_hash)
                          from entry where id = new.entry_id and content_hash = new.content_hash);
      begin
        if previous is null or new.hash is distinct from encode(sha256(convert_to(sealed, 'UTF8')), 'hex') then
          raise exception 'seal % does not follow from the one before it', new.sequence
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger ledger_seal_guard before insert on ledger_seal
        for each row execute function ledger_seal_guard()`);
  }

  private createAudits(): void {
    this.addSql(`
      create table books_audit (
        id bigint generated always as identity primary key,
        scope text not null check (scope in ('everything', 'new_entries')),
        sealed_to bigint not null check (sealed_to >= 0),
        finding_check text,
        finding_row text,
        finding_says text,
        started_at timestamptz(3) not null,
        finished_at timestamptz(3) not null default clock_timestamp(),
        check (num_nulls(finding_check, finding_row, finding_says) in (0, 3))
      )`);
    this.addSql(`create index books_audit_newest on books_audit (scope, id desc)`);
  }
}
