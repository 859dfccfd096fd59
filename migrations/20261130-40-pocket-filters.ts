import { Migration } from '@mikro-orm/migrations';

/** The pockets of all merchants are listed by token, and by network, without reading the pockets of others. */
export class PocketFiltersMigration extends Migration {
  override name = '20261130-40-pocket-filters';

  override up(): void {
    this.addSql(`create index pocket_of_token on pocket (environment, token, id)`);
    this.addSql(`create index pocket_of_network on pocket (environment, network, token, id)`);
  }
}
