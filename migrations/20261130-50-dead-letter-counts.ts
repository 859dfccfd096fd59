import { Migration } from '@mikro-orm/migrations';

/**
 * Dead letters are counted by endpoint and cause from their index alone. PostgreSQL reads only an index for an expression in
 * it when the index has the expression's columns too.
 */
export class DeadLetterCountsMigration extends Migration {
  override name = '20261130-50-dead-letter-counts';

  override up(): void {
    this.addSql(`
      create index delivery_dead_cause_counts
        on delivery (environment, endpoint_id, coalesce(last_response_status::text, last_error_code, ''), created_at, id)
        include (last_response_status, last_error_code)
        where status = 'dead_letter' and not superseded`);
    this.addSql(`drop index delivery_dead_causes`);
  }
}
