import { Migration } from '@mikro-orm/migrations';

/** Reads all rows for the checks of the migration before, in a transaction that locks out no writer. */
export class FundedSweepChecksMigration extends Migration {
  override name = '20261126-91-funded-sweep-checks';

  override up(): void {
    this.addSql(`alter table deposit_balance validate constraint deposit_balance_coins_check`);
    this.addSql(`alter table sweep_item validate constraint sweep_item_costs_check`);
    this.addSql(`alter table chain_transaction validate constraint chain_transaction_purpose_check`);
    this.addSql(`alter table chain_transaction validate constraint chain_transaction_amount_check`);
  }
}
