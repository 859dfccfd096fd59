import { Migration } from '@mikro-orm/migrations';

/** That staff know of a payment with too little or too much, or of a late one, so that it leaves their queue. */
export class AcknowledgementsMigration extends Migration {
  override name = '20261129-21-acknowledgements';

  override up(): void {
    this.addSql(`
      create table acknowledgement (
        subject_id text primary key,
        subject_kind text not null check (subject_kind in ('payment_intent', 'deposit')),
        environment text not null check (environment in ('sandbox', 'live')),
        author text not null,
        note text not null check (char_length(note) between 1 and 500),
        created_at timestamptz(3) not null default now()
      )`);
    this.addSql(`
      create trigger acknowledgement_append_only before update or delete on acknowledgement
        for each row execute function ledger_is_append_only()`);
    this.addSql(`
      create trigger acknowledgement_no_truncate before truncate on acknowledgement
        for each statement execute function ledger_is_append_only()`);
  }
}
