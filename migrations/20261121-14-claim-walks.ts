import { Migration } from '@mikro-orm/migrations';

/**
 * For claims that cost the same however much was delivered before. Leases are found by walking from the present on, past
 * none that have ended. And entries of deliveries that have ended are dropped from an index one by one as a walk meets
 * them, which entries of the same time packed together are not.
 */
export class ClaimWalksMigration extends Migration {
  override name = '20261121-14-claim-walks';

  override up(): void {
    this.addSql(`alter index delivery_endpoint_due set (deduplicate_items = off)`);
    this.addSql(`drop index delivery_leased`);
    this.addSql(`
      create index delivery_leased on delivery (endpoint_id, lease_until) with (deduplicate_items = off)
        where lease_until is not null`);
  }
}
