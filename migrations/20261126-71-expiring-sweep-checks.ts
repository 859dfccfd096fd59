import { Migration } from '@mikro-orm/migrations';

/** Reads all rows for the checks of the migration before, in a transaction that locks out no writer. */
export class ExpiringSweepChecksMigration extends Migration {
  override name = '20261126-71-expiring-sweep-checks';

  override up(): void {
    this.addSql(`alter table sweep validate constraint sweep_contracts_check`);
    this.addSql(`alter table sweep_item validate constraint sweep_item_accounts_check`);
  }
}
