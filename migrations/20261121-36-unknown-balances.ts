import { Migration } from '@mikro-orm/migrations';

/**
 * After a restore, a forgotten sweep may have taken coins of which no deposit is known, and none will be found before the
 * books know that they were taken: coins that came inside of a contract show in a balance alone, which is empty by now.
 */
export class UnknownBalancesMigration extends Migration {
  override name = '20261121-36-unknown-balances';

  override up(): void {
    this.addSql(`
      alter table deposit_balance
        drop constraint deposit_balance_received_check,
        add constraint deposit_balance_received_check check (received >= 0)`);
    this.addSql(`
      alter table sweep_item
        drop constraint sweep_item_expected_check,
        add constraint sweep_item_expected_check check (expected >= 0)`);
  }
}
