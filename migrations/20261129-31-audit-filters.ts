import { Migration } from '@mikro-orm/migrations';

/** Lists the audit log of an environment, and what belongs to none, newest first, by each of the filters. */
export class AuditFiltersMigration extends Migration {
  override name = '20261129-31-audit-filters';

  override up(): void {
    this.addSql(`create index audit_entry_list on audit_entry (environment, created_at, id)`);
    this.addSql(`create index audit_entry_of_actor on audit_entry (environment, actor, created_at, id)`);
    this.addSql(`create index audit_entry_of_action on audit_entry (environment, action, created_at, id)`);
    this.addSql(`create index audit_entry_of_subject on audit_entry (environment, subject, created_at, id)`);
  }
}
