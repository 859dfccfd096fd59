import { Migration } from '@mikro-orm/migrations';

/**
 * Events are listed in the order of their sequence. A transaction that began earlier may be numbered later, so `created_at`
 * does not always grow with the sequence. The counter keeps by how much it has ever fallen behind, and dates can be turned
 * into sequences with that much to spare.
 */
export class EventOrderMigration extends Migration {
  override name = '20261122-38-event-order';

  override up(): void {
    this.addSql(`
      alter table event_counter
        add column latest_at timestamptz(3),
        add column disorder_ms bigint not null default 0 check (disorder_ms >= 0)`);
    this.noteOrder();
    this.noteOrderSoFar();
    // Partial, so that an event enters them once, when it is numbered.
    this.addSql(`
      create index event_type_sequence on event (merchant_id, environment, type, sequence) where sequence is not null`);
    this.addSql(`
      create index event_time on event (merchant_id, environment, created_at, id) where sequence is not null`);
    this.addSql(`drop index event_newest`);
    this.addSql(`drop index event_newest_of_type`);
  }

  /** By a trigger, so that it holds for events that a process of the version before numbers. */
  private noteOrder(): void {
    this.addSql(`
      create function event_order_noted() returns trigger language plpgsql as $$
      begin
        update event_counter counter
           set latest_at = greatest(counter.latest_at, batch.latest_at),
               disorder_ms = greatest(counter.disorder_ms, batch.disorder_ms,
                 extract(epoch from counter.latest_at - batch.earliest_at) * 1000)
          from (${ordersIn('numbered')}) batch
         where counter.merchant_id = batch.merchant_id and counter.environment = batch.environment;
        return null;
      end $$`);
    this.addSql(`
      create trigger event_order_noted after update on event referencing new table as numbered
        for each statement execute function event_order_noted()`);
  }

  private noteOrderSoFar(): void {
    this.addSql(`
      update event_counter counter
         set latest_at = batch.latest_at, disorder_ms = greatest(0, batch.disorder_ms)
        from (${ordersIn('event')}) batch
       where counter.merchant_id = batch.merchant_id and counter.environment = batch.environment`);
  }
}

/** Of each tenant's numbered events in a table: the first and last times, and by how much one is older than any before it. */
const ordersIn = (table: string): string => `
  select merchant_id, environment, min(created_at) as earliest_at, max(created_at) as latest_at,
         max(extract(epoch from latest_before - created_at) * 1000) as disorder_ms
    from (select merchant_id, environment, created_at,
                 max(created_at) over (partition by merchant_id, environment order by sequence
                   rows between unbounded preceding and 1 preceding) as latest_before
            from ${table} where sequence is not null) ordered
   group by merchant_id, environment`;
