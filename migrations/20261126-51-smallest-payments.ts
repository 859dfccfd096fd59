import { Migration } from '@mikro-orm/migrations';

/** Stores the smallest payment that an address without funds can receive, as solana's rent demands it. */
export class SmallestPaymentsMigration extends Migration {
  override name = '20261126-51-smallest-payments';

  override up(): void {
    this.addSql(`alter table chain_token add column minimum_amount numeric(78,0) check (minimum_amount > 0)`);
  }
}
