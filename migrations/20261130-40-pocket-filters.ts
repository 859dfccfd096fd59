import { Migration } from '@mikro-orm/migrations';

/** Lists the pockets of all merchants by token, and by network, without reading those of others: also where these are rare. */
export class PocketFiltersMigration extends Migration {
  override name = '20261130-40-pocket-filters';

  override up(): void {
    this.addSql(`create index pocket_of_token on pocket (environment, token, id)`);
    this.addSql(`create index pocket_of_network on pocket (environment, network, token, id)`);
  }
}
