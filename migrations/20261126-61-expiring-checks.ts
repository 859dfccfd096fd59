import { Migration } from '@mikro-orm/migrations';

/** Reads all rows for the checks of the migration before, in a transaction that locks out no writer. */
export class ExpiringChecksMigration extends Migration {
  override name = '20261126-61-expiring-checks';

  override up(): void {
    this.addSql(`alter table fee_round validate constraint fee_round_prices_check`);
    this.addSql(`alter table chain_transaction validate constraint chain_transaction_expiry_check`);
    this.addSql(`alter table chain_transaction validate constraint chain_transaction_status_check`);
  }
}
