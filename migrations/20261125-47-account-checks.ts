import { Migration } from '@mikro-orm/migrations';

/** Reads all deposits for the checks of the migration before, in a transaction that locks out no writer. */
export class AccountChecksMigration extends Migration {
  override name = '20261125-47-account-checks';

  override up(): void {
    this.addSql(`alter table deposit validate constraint deposit_position_check`);
    this.addSql(`alter table deposit validate constraint deposit_origin_check`);
  }
}
