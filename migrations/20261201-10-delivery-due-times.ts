import { Migration } from '@mikro-orm/migrations';

/** A delivery is due from the start: `now()` was rounded up to the millisecond, so it was due half of one later. */
export class DeliveryDueTimesMigration extends Migration {
  override name = '20261201-10-delivery-due-times';

  override up(): void {
    this.addSql(`alter table delivery alter column due_at set default date_trunc('milliseconds', now())`);
  }
}
