import { Migration } from '@mikro-orm/migrations';

/**
 * The index of the answers that are pruned, by their age. Since dry runs of withdrawals are pruned too, the statement could
 * not use the old one, and read the whole table.
 */
export class RecordAgeMigration extends Migration {
  override name = '20261123-44-record-age';

  override up(): void {
    this.addSql('drop index idempotency_record_age');
    this.addSql(`
      create index idempotency_record_age on idempotency_record (created_at)
        where not (path = '/v1/withdrawals' and status = 202)`);
  }
}
