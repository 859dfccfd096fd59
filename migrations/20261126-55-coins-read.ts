import { Migration } from '@mikro-orm/migrations';

/**
 * On networks whose nodes return no past balances, the balances in the coin are behind the blocks: an intent in the coin
 * expires once its balance was read past its deadline.
 */
export class CoinsReadMigration extends Migration {
  override name = '20261126-55-coins-read';

  override up(): void {
    this.addSql(`alter table chain_cursor add column coins_read_to timestamptz(3)`);
  }
}
