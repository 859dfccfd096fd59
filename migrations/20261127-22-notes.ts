import { Migration } from '@mikro-orm/migrations';

/** What staff write about an object, for each other. A note is never changed: a mistake is corrected by the next one. */
export class NotesMigration extends Migration {
  override name = '20261127-22-notes';

  override up(): void {
    this.addSql(`
      create table note (
        id text primary key,
        environment text not null check (environment in ('sandbox', 'live')),
        subject_kind text not null,
        subject_id text not null,
        author text not null,
        body text not null check (char_length(body) between 1 and 2000),
        created_at timestamptz(3) not null default now()
      )`);
    this.addSql(`create index note_subject on note (subject_id, created_at desc, id desc)`);
    this.addSql(`
      create trigger note_append_only before update or delete on note
        for each row execute function ledger_is_append_only()`);
    this.addSql(`
      create trigger note_no_truncate before truncate on note
        for each statement execute function ledger_is_append_only()`);
  }
}
