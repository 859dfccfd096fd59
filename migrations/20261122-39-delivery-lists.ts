import { Migration } from '@mikro-orm/migrations';

/**
 * Deliveries are listed by their merchant, and recovered by order of the merchant. A process of the version before
 * inserts deliveries without their merchant and begins series without marking the one before: triggers do both for it.
 */
export class DeliveryListsMigration extends Migration {
  override name = '20261122-39-delivery-lists';

  override up(): void {
    this.addSql(`
      alter table delivery
        add column merchant_id text,
        add column environment text,
        add column superseded boolean not null default false`);
    this.addSql(`
      update delivery
         set merchant_id = endpoint.merchant_id, environment = endpoint.environment,
             superseded = exists (
               select from delivery later
                where later.event_id = delivery.event_id and later.endpoint_id = delivery.endpoint_id
                  and later.series > delivery.series)
        from webhook_endpoint endpoint
       where endpoint.id = delivery.endpoint_id`);
    this.completeInserts();
    this.indexLists();
    this.createRecoveries();
    this.addSql(`alter table webhook_endpoint add column last_success_at timestamptz(3)`);
  }

  private completeInserts(): void {
    this.addSql(`
      create function delivery_tenant() returns trigger language plpgsql as $$
      begin
        select merchant_id, environment into new.merchant_id, new.environment
          from webhook_endpoint where id = new.endpoint_id;
        return new;
      end $$`);
    this.addSql(`
      create trigger delivery_tenant before insert on delivery
        for each row when (new.merchant_id is null) execute function delivery_tenant()`);
    this.addSql(`
      create function delivery_supersedes() returns trigger language plpgsql as $$
      begin
        update delivery set superseded = true
         where event_id = new.event_id and endpoint_id = new.endpoint_id and series = new.series - 1;
        return null;
      end $$`);
    this.addSql(`
      create trigger delivery_supersedes after insert on delivery
        for each row when (new.series > 1) execute function delivery_supersedes()`);
  }

  /**
   * One index on every delivery, in the place of one as large: every list is read along it, endpoint by endpoint. A further
   * one on all deliveries of a merchant would have to be written for each of them.
   */
  private indexLists(): void {
    this.addSql(`create index delivery_of_endpoint on delivery (endpoint_id, status, created_at, id)`);
    this.addSql(`drop index delivery_history`);
    this.addSql(`create index webhook_endpoint_of_tenant on webhook_endpoint (merchant_id, environment)`);
    this.addSql(`
      create index delivery_dead_letters on delivery (endpoint_id, created_at, id)
        where status = 'dead_letter' and not superseded`);
  }

  private createRecoveries(): void {
    this.addSql(`
      create table webhook_recovery (
        id text primary key,
        endpoint_id text not null references webhook_endpoint,
        since timestamptz(3) not null,
        status text not null check (status in ('queued', 'completed', 'stopped')),
        reached_status text not null,
        reached_at timestamptz(3) not null,
        reached_id text not null,
        recovered int not null default 0,
        created_at timestamptz(3) not null,
        finished_at timestamptz(3),
        check ((status = 'queued') = (finished_at is null))
      )`);
    this.addSql(`create index webhook_recovery_queued on webhook_recovery (created_at, id) where status = 'queued'`);
  }
}
