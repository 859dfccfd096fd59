import { Migration } from '@mikro-orm/migrations';

/** Committed facts, who is to be told about them, and how the telling went. */
export class WebhooksMigration extends Migration {
  override name = '20261121-05-webhooks';

  override up(): void {
    this.createEvents();
    this.createEndpoints();
    this.createDeliveries();
  }

  private createEvents(): void {
    this.addSql(`
      create table event (
        id text primary key,
        position bigint generated always as identity unique,
        merchant_id text not null references merchant,
        environment text not null check (environment in ('sandbox', 'live')),
        type text not null,
        resource_id text not null,
        data text not null,
        traceparent text,
        created_at timestamptz(3) not null default now(),
        sequence bigint,
        body text,
        unique (merchant_id, environment, sequence),
        check ((sequence is null) = (body is null))
      )`);
    this.addSql(`create index event_unsequenced on event (position) where sequence is null`);
    this.addSql(`create index event_newest on event (merchant_id, environment, created_at desc, id desc)`);
    this.addSql(
      `create index event_newest_of_type on event (merchant_id, environment, type, created_at desc, id desc)`,
    );
    this.addSql(`create index event_resource on event (resource_id)`);
    this.addSql(`
      create table event_counter (
        merchant_id text not null references merchant,
        environment text not null,
        last_sequence bigint not null,
        primary key (merchant_id, environment)
      )`);
    this.addSql(`
      create function event_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.sequence is not null
            or (new.id, new.merchant_id, new.environment, new.type, new.resource_id, new.data, new.created_at)
              is distinct from
               (old.id, old.merchant_id, old.environment, old.type, old.resource_id, old.data, old.created_at) then
          raise exception 'event % is a committed fact', old.id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger event_guard before update or delete on event for each row execute function event_guard()`);
  }

  private createEndpoints(): void {
    this.addSql(`
      create table webhook_endpoint (
        id text primary key,
        merchant_id text not null references merchant,
        environment text not null check (environment in ('sandbox', 'live')),
        url text not null,
        description text,
        event_types text[] not null,
        enabled boolean not null default true,
        disabled_reason text,
        secret bytea not null,
        previous_secret bytea,
        previous_secret_expires_at timestamptz(3),
        failing_since timestamptz(3),
        dead_letters int not null default 0,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        deleted_at timestamptz(3),
        check ((previous_secret is null) = (previous_secret_expires_at is null))
      )`);
    this.addSql(`
      create index webhook_endpoint_owner on webhook_endpoint (merchant_id, environment, created_at desc, id desc)
        where deleted_at is null`);
  }

  private createDeliveries(): void {
    this.addSql(`
      create table delivery (
        id text primary key,
        event_id text not null references event,
        endpoint_id text not null references webhook_endpoint,
        series int not null default 1,
        status text not null check (status in ('pending', 'delivered', 'dead_letter', 'cancelled')),
        attempts int not null default 0,
        due_at timestamptz(3) not null default now(),
        lease_until timestamptz(3),
        lease_holder text,
        created_at timestamptz(3) not null default now(),
        finished_at timestamptz(3),
        unique (event_id, endpoint_id, series),
        check ((status = 'pending') = (finished_at is null))
      )`);
    this.addSql(`create index delivery_endpoint_due on delivery (endpoint_id, due_at) where status = 'pending'`);
    this.addSql(`create index delivery_leased on delivery (endpoint_id) where lease_until is not null`);
    this.addSql(`create index delivery_history on delivery (endpoint_id, created_at, id)`);
    this.addSql(`
      create table delivery_attempt (
        delivery_id text not null references delivery,
        number int not null check (number between 1 and 6),
        started_at timestamptz(3) not null,
        duration_ms int not null,
        signed_at bigint not null,
        response_status int,
        error_code text,
        error_message text,
        response_headers jsonb,
        response_body text,
        primary key (delivery_id, number),
        check ((response_status is null) = (error_code is not null))
      )`);
  }
}
