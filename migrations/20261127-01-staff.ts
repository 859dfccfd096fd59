import { Migration } from '@mikro-orm/migrations';

/** The people who work in the console: accounts, sessions, invitations, failed sign-ins, and more in the audit. */
export class StaffMigration extends Migration {
  override name = '20261127-01-staff';

  override up(): void {
    this.addSql(`
      create table staff (
        id text primary key,
        email text not null unique check (email = lower(email)),
        password_hash text,
        password_set_at timestamptz(3),
        sandbox_role text not null check (sandbox_role in ('none', 'viewer', 'support', 'admin')),
        live_role text not null check (live_role in ('none', 'viewer', 'support', 'admin')),
        totp_secret bytea,
        pending_totp_secret bytea,
        totp_last_step bigint,
        created_at timestamptz(3) not null,
        disabled_at timestamptz(3)
      )`);
    this.addSql(`
      create table staff_session (
        id text primary key,
        staff_id text not null references staff,
        token_hash text not null unique,
        address text not null,
        created_at timestamptz(3) not null,
        last_active_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        proved_at timestamptz(3) not null,
        ended_at timestamptz(3)
      )`);
    this.addSql(`create index staff_session_open on staff_session (staff_id) where ended_at is null`);
    this.addSql(`create index staff_session_age on staff_session (expires_at)`);
    this.addSql(`
      create table staff_invitation (
        id text primary key,
        staff_id text not null references staff,
        token_hash text not null unique,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        used_at timestamptz(3)
      )`);
    this.addSql(`create index staff_invitation_open on staff_invitation (staff_id) where used_at is null`);
    this.addSql(`
      create table staff_recovery_code (
        staff_id text not null references staff,
        code_hash text not null,
        primary key (staff_id, code_hash)
      )`);
    // The hash of the key: a table that anonymous callers fill must not keep what they typed.
    this.addSql(`
      create table sign_in_failure (
        key_hash text primary key,
        failures int not null check (failures >= 0),
        last_at timestamptz(3) not null,
        blocked_until timestamptz(3)
      )`);
    this.addSql(`create index sign_in_failure_age on sign_in_failure (last_at)`);
    this.addSql(`
      alter table audit_entry
        add column address text,
        add column request_id text,
        add column environment text check (environment in ('sandbox', 'live')),
        add column role text check (role in ('none', 'viewer', 'support', 'admin')),
        add column before jsonb,
        add column after jsonb`);
    this.addSql(`create index audit_entry_actor on audit_entry (actor, id)`);
  }
}
