import { Migration } from '@mikro-orm/migrations';

/**
 * Attempts to deliver are pruned: first what the receiver answered, later the whole attempt. One index serves both, since an
 * attempt whose answer is gone moves in it behind those that wait for that. The database keeps what is younger than the
 * shortest retention that can be set.
 */
export class AttemptAgeMigration extends Migration {
  override name = '20261128-11-attempt-age';

  override up(): void {
    this.addSql(
      `create index delivery_attempt_age on delivery_attempt (((response_headers is null)::int), started_at)`,
    );
    this.addSql(`
      create function delivery_attempt_is_kept() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' and old.started_at < now() - interval '7 days' then
          return old;
        end if;
        if tg_op = 'UPDATE' and old.started_at < now() - interval '1 day' then
          old.response_headers := null;
          old.response_body := null;
          if new is not distinct from old then
            return new;
          end if;
        end if;
        raise exception 'attempts are kept, and so are answers of the last day'
          using errcode = 'integrity_constraint_violation';
      end $$`);
    this.addSql(`
      create trigger delivery_attempt_is_kept before update or delete on delivery_attempt
        for each row execute function delivery_attempt_is_kept()`);
  }
}
