import { Migration } from '@mikro-orm/migrations';

/** The outside world as far as we know it: chains, their tokens, how far each was read, and our addresses on them. */
export class ChainsMigration extends Migration {
  override name = '20261121-02-chains';

  override up(): void {
    this.addSql(`
      create table chain (
        id text primary key,
        environment text not null check (environment in ('sandbox', 'live')),
        network text not null,
        family text not null check (family in ('evm', 'solana', 'tron')),
        chain_id text not null,
        genesis_hash text not null,
        confirmations int not null,
        quiet_grace_ms int,
        active boolean not null,
        created_at timestamptz(3) not null default now(),
        unique (environment, network, chain_id, genesis_hash)
      )`);
    this.addSql(`create unique index chain_one_active on chain (environment, network) where active`);
    this.addSql(`
      create table chain_token (
        chain_ref text not null references chain,
        contract text not null,
        symbol text not null,
        decimals int not null check (decimals between 0 and 36),
        minor_unit_exponent int not null check (minor_unit_exponent between 0 and 18),
        enabled boolean not null,
        disabled_reason text,
        primary key (chain_ref, contract)
      )`);
    // A symbol may move to another contract; the old one stays, switched off, for what was quoted in it.
    this.addSql(`create unique index chain_token_offered on chain_token (chain_ref, symbol) where enabled`);
    this.addSql(`
      create table chain_cursor (
        chain_ref text primary key references chain,
        height bigint not null,
        hash text not null,
        block_time timestamptz(3) not null,
        head_height bigint not null,
        finalized_height bigint not null,
        synced_at timestamptz(3) not null,
        epoch bigint not null,
        halted_reason text
      )`);
    this.addSql(`
      create table chain_block (
        chain_ref text not null references chain,
        height bigint not null,
        hash text not null,
        parent_hash text not null,
        block_time timestamptz(3) not null,
        primary key (chain_ref, height)
      )`);
    this.addSql(`
      create table pool_address (
        id bigint generated always as identity primary key,
        environment text not null check (environment in ('sandbox', 'live')),
        family text not null check (family in ('evm', 'solana', 'tron')),
        derivation_index int not null,
        derivation_path text not null,
        address text not null,
        address_key text not null unique,
        intent_id text unique,
        assigned_at timestamptz(3),
        retired_at timestamptz(3),
        created_at timestamptz(3) not null default now(),
        unique (environment, family, derivation_index),
        check ((intent_id is null) = (assigned_at is null))
      )`);
    // By age, which no other index knows: ordered by id, the planner may walk the primary key past all assigned addresses.
    this.addSql(`
      create index pool_address_free on pool_address (environment, family, created_at)
        where intent_id is null and retired_at is null`);
    this.addSql(`create index pool_address_watch on pool_address (environment, family, id)`);
    this.addSql(`
      create function pool_address_guard() returns trigger language plpgsql as $$
      begin
        if old.intent_id is not null and (tg_op = 'DELETE' or new.intent_id is distinct from old.intent_id) then
          raise exception 'an assigned address never changes hands' using errcode = 'integrity_constraint_violation';
        end if;
        if tg_op = 'DELETE' then
          return old;
        end if;
        if (new.environment, new.family, new.derivation_index, new.address, new.address_key)
            is distinct from (old.environment, old.family, old.derivation_index, old.address, old.address_key) then
          raise exception 'a pool address is immutable' using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger pool_address_guard before update or delete on pool_address
        for each row execute function pool_address_guard()`);
  }
}
