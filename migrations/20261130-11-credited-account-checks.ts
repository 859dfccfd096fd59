import { Migration } from '@mikro-orm/migrations';

/** Reads all rows for the checks of the migration before, in a transaction that locks out no writer. */
export class CreditedAccountChecksMigration extends Migration {
  override name = '20261130-11-credited-account-checks';

  override up(): void {
    this.addSql(`alter table sweep_item validate constraint sweep_item_account_check`);
    this.addSql(`alter table sweep_item validate constraint sweep_item_account_fkey`);
  }
}
