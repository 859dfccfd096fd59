import { Migration } from '@mikro-orm/migrations';

/** Receivers of webhooks in the sandbox, which the service plays itself, and the newest requests that each has received. */
export class WebhookInboxesMigration extends Migration {
  override name = '20261129-40-webhook-inboxes';

  override up(): void {
    this.addSql(`
      create table webhook_inbox (
        id text primary key,
        environment text not null constraint webhook_inbox_sandbox check (environment = 'sandbox'),
        merchant_id text not null references merchant (id),
        endpoint_id text not null unique references webhook_endpoint (id),
        key text not null unique,
        answer text not null check (answer in ('200', '401', '500', 'timeout')),
        created_by text not null,
        created_at timestamptz(3) not null default now()
      )`);
    this.addSql(`
      create table inbox_request (
        id text primary key,
        inbox_id text not null references webhook_inbox (id),
        headers jsonb not null,
        body bytea not null check (octet_length(body) <= 65536),
        answer text not null,
        received_at timestamptz(3) not null default now()
      )`);
    this.addSql(`create index inbox_request_newest on inbox_request (inbox_id, id desc)`);
  }
}
