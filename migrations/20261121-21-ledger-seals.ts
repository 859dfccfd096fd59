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

  /** Without a foreign key: the seal's own trigger finds the entry, and entries are never removed. */
  private createSeals(): void {
    this.addSql(`
      create table ledger_seal (
        sequence bigint primary key check (sequence > 0),
        entry_id text not null unique,
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

  /** Once a statement, so that a thousand seals are checked by one query. */
  private guardChain(): void {
    this.addSql(`
      create function ledger_seals_follow() returns trigger language plpgsql as $$
      declare
        broken bigint := (
          select written.sequence from written
            left join ledger_seal previous on previous.sequence = written.sequence - 1
            left join entry on entry.id = written.entry_id and entry.content_hash = written.content_hash
           where written.hash is distinct from encode(sha256(convert_to(concat_ws('|',
                   case written.sequence when 1 then repeat('0', 64) else previous.hash end, written.sequence, entry.id,
                   to_char(entry.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                   entry.content_hash), 'UTF8')), 'hex')
           order by written.sequence limit 1);
      begin
        if broken is not null then
          raise exception 'seal % does not follow from the one before it', broken
            using errcode = 'integrity_constraint_violation';
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger ledger_seals_follow after insert on ledger_seal referencing new table as written
        for each statement execute function ledger_seals_follow()`);
  }

  private createAudits(): void {
    this.addSql(`
      create table books_audit (
        id bigint generated always as identity primary key,
        scope text not null check (scope in ('everything', 'new_entries')),
        sealed_to bigint not null check (sealed_to >= 0),
        seal_hash text not null,
        finding_check text,
        finding_row text,
        finding_says text,
        started_at timestamptz(3) not null,
        finished_at timestamptz(3) not null default clock_timestamp(),
        check (num_nulls(finding_check, finding_row, finding_says) in (0, 3))
      )`);
    this.addSql(`create index books_audit_newest on books_audit (scope, id desc)`);
    // What was found stays; of minutes in which nothing was found there would be half a million a year.
    this.addSql(`
      create function books_audit_is_kept() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' and old.scope = 'new_entries' and old.finding_row is null
            and old.finished_at < now() - interval '7 days' then
          return old;
        end if;
        raise exception 'audits of the books are kept' using errcode = 'integrity_constraint_violation';
      end $$`);
    this.addSql(`
      create trigger books_audit_is_kept before update or delete on books_audit
        for each row execute function books_audit_is_kept()`);
    this.addSql(`
      create trigger books_audit_no_truncate before truncate on books_audit
        for each statement execute function ledger_is_append_only()`);
    // The auditor reads the deposits of a chain block by block.
    this.addSql(`create index deposit_block on deposit (chain_ref, block_height) where status <> 'orphaned'`);
  }
}
