import { Migration } from '@mikro-orm/migrations';

/** A dead letter that no later series has superseded: a literal, which partial indexes and statements share. */
const DEAD = `status = 'dead_letter' and not superseded`;

/**
 * Staff see the deliveries of all merchants of an environment, and dead letters by endpoint and cause. So a delivery has
 * the type of its event and the result of its latest attempt. A process of the version before writes neither: triggers do
 * it, the second one for failures alone, since an acknowledged delivery has no cause.
 */
export class DeadLettersMigration extends Migration {
  override name = '20261127-10-dead-letters';

  override up(): void {
    this.addSql(`
      alter table delivery
        add column event_type text,
        add column last_response_status int,
        add column last_error_code text,
        add column replay_job_id text`);
    this.addSql(`
      update delivery
         set event_type = event.type, last_response_status = attempt.response_status,
             last_error_code = attempt.error_code
        from event, delivery same
        left join delivery_attempt attempt on attempt.delivery_id = same.id and attempt.number = same.attempts
       where event.id = delivery.event_id and same.id = delivery.id`);
    this.completeRows();
    this.indexLists();
  }

  private completeRows(): void {
    this.addSql(`
      create function delivery_event_type() returns trigger language plpgsql as $$
      begin
        select type into new.event_type from event where id = new.event_id;
        return new;
      end $$`);
    this.addSql(`
      create trigger delivery_event_type before insert on delivery
        for each row when (new.event_type is null) execute function delivery_event_type()`);
    this.addSql(`
      create function delivery_last_failure() returns trigger language plpgsql as $$
      begin
        update delivery
           set last_response_status = new.response_status, last_error_code = new.error_code
         where id = new.delivery_id and attempts = new.number
           and (last_response_status, last_error_code) is distinct from (new.response_status, new.error_code);
        return null;
      end $$`);
    this.addSql(`
      create trigger delivery_last_failure after insert on delivery_attempt
        for each row when (new.response_status is null or new.response_status not between 200 and 299)
        execute function delivery_last_failure()`);
  }

  /**
   * Lists of an environment merge walks along these indexes. What was finished is indexed once, when it is finished: an
   * index that a waiting delivery is in would be written at each of its changes.
   */
  private indexLists(): void {
    this.addSql(`create index delivery_dead_newest on delivery (environment, created_at desc, id desc) where ${DEAD}`);
    this.addSql(`
      create index delivery_dead_causes
        on delivery (environment, endpoint_id, coalesce(last_response_status::text, last_error_code, ''), created_at, id)
        where ${DEAD}`);
    this.addSql(`
      create index delivery_finished_newest on delivery (environment, status, event_type, created_at, id)
        where status in ('delivered', 'cancelled') and not superseded`);
    this.addSql(`create index webhook_endpoint_holding on webhook_endpoint (id) where holds`);
    this.addSql(`
      create index webhook_endpoint_newest on webhook_endpoint (environment, created_at desc, id desc)
        where deleted_at is null`);
  }
}
