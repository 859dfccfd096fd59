import { Migration } from '@mikro-orm/migrations';

/** Who may call, what they called, and how much: merchants, API keys, idempotent answers, rate buckets, leases. */
export class AccessMigration extends Migration {
  override name = '20261121-01-access';

  override up(): void {
    this.addSql(`
      create table merchant (
        id text primary key,
        name text not null,
        live_verified_at timestamptz(3),
        underpayment_tolerance_bps int not null default 0 check (underpayment_tolerance_bps between 0 and 1000),
        created_at timestamptz(3) not null default now()
      )`);
    this.addSql(`
      create table api_key (
        id text primary key,
        merchant_id text not null references merchant,
        environment text not null check (environment in ('sandbox', 'live')),
        key_hash text not null unique,
        last4 text not null,
        scopes text[] not null,
        created_at timestamptz(3) not null default now(),
        last_used_at timestamptz(3),
        revoked_at timestamptz(3)
      )`);
    this.addSql(`
      create table idempotency_record (
        merchant_id text not null references merchant,
        environment text not null check (environment in ('sandbox', 'live')),
        method text not null,
        path text not null,
        idempotency_key text not null,
        fingerprint text not null,
        status int not null check (status between 200 and 299),
        body bytea not null,
        encrypted boolean not null,
        request_id text not null,
        created_at timestamptz(3) not null default now(),
        primary key (merchant_id, environment, method, path, idempotency_key)
      )`);
    this.addSql(`
      create index idempotency_record_age on idempotency_record (created_at)
        where path not like '/v1/withdrawals%'`);
    this.addSql(`
      create table rate_bucket (
        api_key_id text primary key references api_key,
        tokens double precision not null,
        refilled_at timestamptz not null
      )`);
    this.addSql(`
      create table lease (
        name text primary key,
        holder text not null,
        epoch bigint not null,
        expires_at timestamptz(3) not null
      )`);
  }
}
