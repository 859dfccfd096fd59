import { Migration } from '@mikro-orm/migrations';

/** Reads all rows for the checks of the migration before, in a transaction that locks out no writer. */
export class StakeOrderChecksMigration extends Migration {
  override name = '20261128-61-stake-order-checks';

  override up(): void {
    this.addSql(`
      alter table chain_transaction
        validate constraint chain_transaction_purpose_check,
        validate constraint chain_transaction_amount_check`);
  }
}
