import { Migration } from '@mikro-orm/migrations';

/** Reads all rows for the check of the migration before, in a transaction that locks out no writer. */
export class EnergyLoanChecksMigration extends Migration {
  override name = '20261126-93-energy-loan-checks';

  override up(): void {
    this.addSql(`alter table chain_transaction validate constraint chain_transaction_purpose_check`);
  }
}
