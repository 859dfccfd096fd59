import { Migration } from '@mikro-orm/migrations';

/** What staff see of merchants and their keys: a name and an end of a key, and an index for each list and filter. */
export class MerchantListsMigration extends Migration {
  override name = '20261129-30-merchant-lists';

  override up(): void {
    this.addSql(`alter table api_key add column name text, add column expires_at timestamptz(3)`);
    this.addSql(`create index api_key_merchant on api_key (merchant_id, environment, id)`);
    this.addSql(`create index merchant_name on merchant (lower(name), id)`);
    this.addSql(`create index merchant_verified on merchant (id) where live_verified_at is not null`);
    this.addSql(`create index merchant_unverified on merchant (id) where live_verified_at is null`);
  }
}
