import { Migration } from '@mikro-orm/migrations';

/** A transaction is due from the start: `now()` was rounded up to the millisecond, so it was due half of one later. */
export class DueTimesMigration extends Migration {
  override name = '20261121-24-due-times';

  override up(): void {
    this.addSql(`alter table chain_transaction alter column due_at set default date_trunc('milliseconds', now())`);
  }
}
