import { Migration } from '@mikro-orm/migrations';

const NO_LINK = `repeat('0', 64)`;

/**
 * A hash chain over the audit log, as over the entries of the ledger. Entries are sealed after their commit, in one order, by
 * one sealer; `unsealed_audit_entry` names what waits for it. The database itself refuses a seal that does not follow from
 * the one before it and from its entry, and dates the entries.
 */
export class AuditSealsMigration extends Migration {
  override name = '20261128-10-audit-seals';

  override up(): void {
    // First: a try that finds this table in use fails before it has locked the audit log.
    this.addSql(`
      alter table books_audit
        add column audit_sealed_to bigint not null default 0 check (audit_sealed_to >= 0),
        add column audit_seal_hash text not null default '${'0'.repeat(64)}'`);
    this.createSeals();
    this.dateEntries();
    this.queueEntries();
    this.guardChain();
  }

  /** Without a foreign key: the seal's own trigger finds the entry, and entries are never removed. */
  private createSeals(): void {
    this.addSql(`
      create table audit_seal (
        sequence bigint primary key check (sequence > 0),
        entry_id bigint not null unique,
        content_hash text not null,
        hash text not null,
        created_at timestamptz(3) not null default now()
      )`);
    this.addSql(`
      create trigger audit_seal_append_only before update or delete on audit_seal
        for each row execute function ledger_is_append_only()`);
    this.addSql(`
      create trigger audit_seal_no_truncate before truncate on audit_seal
        for each statement execute function ledger_is_append_only()`);
  }

  /** The database dates each action. A role that may add rows cannot choose the time. */
  private dateEntries(): void {
    this.addSql(`
      create function audit_entry_is_dated() returns trigger language plpgsql as $$
      begin
        new.created_at := clock_timestamp();
        return new;
      end $$`);
    this.addSql(`
      create trigger audit_entry_is_dated before insert on audit_entry
        for each row execute function audit_entry_is_dated()`);
  }

  /**
   * The trigger is made first: it locks the table, so that no entry commits between it and those that the queue begins with. It
   * has the rights of the owner, because the service's role gets its rights on new tables after the last migration only.
   */
  private queueEntries(): void {
    this.addSql(`create table unsealed_audit_entry (entry_id bigint primary key references audit_entry)`);
    this.addSql(`
      create function audit_entry_waits_for_seal() returns trigger language plpgsql
        security definer set search_path from current as $$
      begin
        insert into unsealed_audit_entry (entry_id) select id from written;
        return null;
      end $$`);
    this.addSql(`
      create trigger audit_entry_waits_for_seal after insert on audit_entry referencing new table as written
        for each statement execute function audit_entry_waits_for_seal()`);
    this.addSql(`insert into unsealed_audit_entry (entry_id) select id from audit_entry`);
  }

  /** Once a statement, so that a thousand seals are checked by one query. */
  private guardChain(): void {
    this.addSql(`
      create function audit_content_hash(e audit_entry) returns text language sql stable as $$
        select encode(sha256(convert_to(
                 string_agg(coalesce(octet_length(field) || ':' || field, '-'), ',' order by place), 'UTF8')), 'hex')
          from unnest(array[e.id::text, e.actor, e.action, e.subject, e.reason, e.details::text, e.address, e.request_id,
                 e.environment, e.role, e.before::text, e.after::text,
                 to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')])
               with ordinality as listed (field, place)
      $$`);
    this.addSql(`
      create function audit_seals_follow() returns trigger language plpgsql as $$
      declare
        broken bigint := (
          select written.sequence from written
            left join audit_seal previous on previous.sequence = written.sequence - 1
            left join audit_entry entry on entry.id = written.entry_id
           where audit_content_hash(entry) is distinct from written.content_hash
              or written.hash is distinct from encode(sha256(convert_to(concat_ws('|',
                   case written.sequence when 1 then ${NO_LINK} else previous.hash end, written.sequence, entry.id,
                   written.content_hash), 'UTF8')), 'hex')
           order by written.sequence limit 1);
      begin
        if broken is not null then
          raise exception 'audit seal % does not follow from the one before it', broken
            using errcode = 'integrity_constraint_violation';
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger audit_seals_follow after insert on audit_seal referencing new table as written
        for each statement execute function audit_seals_follow()`);
  }
}
