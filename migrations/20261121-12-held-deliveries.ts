import { Migration } from '@mikro-orm/migrations';

/**
 * What waits for a disabled endpoint is `held`: out of the index that every claim walks, until the endpoint is enabled or
 * deleted. `holds` remembers which endpoints have such deliveries.
 */
export class HeldDeliveriesMigration extends Migration {
  override name = '20261121-12-held-deliveries';

  override up(): void {
    this.addSql(`alter table delivery drop constraint delivery_status_check`);
    this.addSql(`
      alter table delivery add constraint delivery_status_check
        check (status in ('pending', 'held', 'delivered', 'dead_letter', 'cancelled'))`);
    this.addSql(`alter table delivery drop constraint delivery_check`);
    this.addSql(`
      alter table delivery add constraint delivery_check
        check ((status in ('pending', 'held')) = (finished_at is null))`);
    this.addSql(`create index delivery_held on delivery (endpoint_id, due_at) where status = 'held'`);
    this.addSql(`alter table webhook_endpoint add column holds boolean not null default false`);
    this.addSql(`
      create index webhook_endpoint_to_release on webhook_endpoint (id)
        where holds and (enabled or deleted_at is not null)`);
  }
}
