import { Migration } from '@mikro-orm/migrations';

/** Coins on their way from deposit addresses to the hot wallets: what lies where, sweeps, and the contracts they need. */
export class SweepsMigration extends Migration {
  override name = '20261121-25-sweeps';

  override up(): void {
    this.createBalances();
    this.createSweeps();
    this.guardSweeps();
    this.createContracts();
    for (const table of ['deposit_balance', 'sweep', 'sweep_item', 'sweep_contract', 'delegation']) {
      this.addSql(`
        create trigger ${table}_no_truncate before truncate on ${table}
          for each statement execute function ledger_is_append_only()`);
    }
    // Last, since it keeps everybody out of the table until this migration is over.
    this.addSql(`
      alter table chain_transaction
        drop constraint chain_transaction_purpose_check,
        drop constraint chain_transaction_amount_check,
        add constraint chain_transaction_purpose_check check (purpose in ('withdrawal', 'sweep', 'contract')),
        add constraint chain_transaction_amount_check
          check (case purpose when 'withdrawal' then amount > 0 else amount = 0 and value = 0 end)`);
  }

  /**
   * What final deposits brought to each address, token by token, and what sweeps took: the planner never adds up deposits.
   * It grows with each deposit, whose row refers to chain and address already.
   */
  private createBalances(): void {
    this.addSql(`
      create table deposit_balance (
        chain_ref text not null,
        token_contract text not null,
        address_id bigint not null,
        received numeric(78,0) not null check (received > 0),
        swept numeric(78,0) not null default 0 check (swept >= 0),
        sweep_id text,
        failures int not null default 0 check (failures >= 0),
        retry_at timestamptz(3),
        set_aside_reason text,
        primary key (chain_ref, token_contract, address_id)
      )`);
    // A deposit that became final between the adding up and the trigger would never be swept. Readers go on.
    this.addSql(`lock table deposit in share row exclusive mode`);
    this.addSql(`
      insert into deposit_balance (chain_ref, token_contract, address_id, received)
      select chain_ref, token_contract, address_id, sum(amount) from deposit
       where status = 'confirmed' group by chain_ref, token_contract, address_id`);
    // The largest first, without those that nothing is to be taken from now.
    this.addSql(`
      create index deposit_balance_to_sweep on deposit_balance (chain_ref, token_contract, (received - swept) desc)
        where received > swept and sweep_id is null and set_aside_reason is null`);
    this.addSql(`
      create index deposit_balance_set_aside on deposit_balance (chain_ref) where set_aside_reason is not null`);
    // By statements, not by rows: a listener that catches up makes hundreds final at once, and somebody may send thousands of
    // payments to one address.
    this.addSql(`
      create function deposit_balances_grow() returns trigger language plpgsql as $$
      begin
        insert into deposit_balance (chain_ref, token_contract, address_id, received)
        select chain_ref, token_contract, address_id, sum(amount) from added
         where status = 'confirmed' group by chain_ref, token_contract, address_id order by 1, 2, 3
        on conflict (chain_ref, token_contract, address_id) do update
          set received = deposit_balance.received + excluded.received;
        return null;
      end $$`);
    this.addSql(`
      create trigger deposit_is_final_at_once after insert on deposit referencing new table as added
        for each statement execute function deposit_balances_grow()`);
    this.addSql(`
      create function deposit_balances_grow_later() returns trigger language plpgsql as $$
      begin
        insert into deposit_balance (chain_ref, token_contract, address_id, received)
        select after.chain_ref, after.token_contract, after.address_id, sum(after.amount)
          from after join before using (id)
         where after.status = 'confirmed' and before.status <> 'confirmed'
         group by 1, 2, 3 order by 1, 2, 3
        on conflict (chain_ref, token_contract, address_id) do update
          set received = deposit_balance.received + excluded.received;
        return null;
      end $$`);
    this.addSql(`
      create trigger deposit_becomes_final after update on deposit
        referencing old table as before new table as after
        for each statement execute function deposit_balances_grow_later()`);
    this.addSql(`
      create function deposit_balance_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or new.received < old.received or new.swept < old.swept
            or (new.chain_ref, new.token_contract, new.address_id)
              is distinct from (old.chain_ref, old.token_contract, old.address_id) then
          raise exception 'what was received and what was swept only grow'
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger deposit_balance_guard before update or delete on deposit_balance
        for each row execute function deposit_balance_guard()`);
  }

  private createSweeps(): void {
    this.addSql(`
      create table sweep (
        id text primary key,
        chain_ref text not null references hot_wallet,
        reason text not null check (reason in ('threshold', 'withdrawal')),
        delegate text not null,
        batch text not null,
        waiting_reason text,
        created_at timestamptz(3) not null default now(),
        signed_at timestamptz(3),
        finished_at timestamptz(3)
      )`);
    this.addSql(`create index sweep_open on sweep (chain_ref, created_at) where finished_at is null`);
    this.addSql(`
      create index sweep_to_sign on sweep (created_at, id) where finished_at is null and signed_at is null`);
    this.addSql(`
      create table sweep_item (
        sweep_id text not null references sweep,
        position int not null check (position between 0 and 249),
        chain_ref text not null,
        token_contract text not null,
        address_id bigint not null references pool_address,
        expected numeric(78,0) not null check (expected > 0),
        authorization_nonce bigint check (authorization_nonce >= 0),
        swept numeric(78,0) check (swept >= 0),
        swept_height bigint,
        primary key (sweep_id, position),
        foreign key (chain_ref, token_contract, address_id) references deposit_balance,
        check ((swept_height is not null) = (swept is not null and swept > 0))
      )`);
    // Never two sweeps of one balance under way.
    this.addSql(`
      create unique index sweep_item_open on sweep_item (chain_ref, token_contract, address_id) where swept is null`);
    // What the newest balance of the hot wallet does not know yet.
    this.addSql(`
      create index sweep_item_swept on sweep_item (chain_ref, swept_height) where swept_height is not null`);
    // What the listener takes off when it compares balances of the coin with the books.
    this.addSql(`
      create index sweep_item_coins on sweep_item (address_id, chain_ref)
        where token_contract = 'native' and (swept is null or swept > 0)`);
  }

  private guardSweeps(): void {
    this.addSql(`
      create function sweep_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.finished_at is not null
            or (new.id, new.chain_ref, new.reason, new.delegate, new.batch, new.created_at)
              is distinct from (old.id, old.chain_ref, old.reason, old.delegate, old.batch, old.created_at)
            or (old.signed_at is not null and new.signed_at is distinct from old.signed_at) then
          raise exception 'a sweep keeps its terms, and ends once' using errcode = 'integrity_constraint_violation';
        end if;
        if new.finished_at is not null and exists (
            select from chain_transaction where purpose = 'sweep' and purpose_id = new.id and status = 'signed') then
          raise exception 'sweep % may still be mined', new.id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger sweep_guard before update or delete on sweep for each row execute function sweep_guard()`);
    this.addSql(`
      create function sweep_item_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.swept is not null
            or (new.sweep_id, new.position, new.chain_ref, new.token_contract, new.address_id, new.expected,
                new.authorization_nonce)
              is distinct from
               (old.sweep_id, old.position, old.chain_ref, old.token_contract, old.address_id, old.expected,
                old.authorization_nonce) then
          raise exception 'an item of a sweep keeps its terms, and ends once'
            using errcode = 'integrity_constraint_violation';
        end if;
        if new.swept > 0 and not exists (
            select from chain_transaction
             where purpose = 'sweep' and purpose_id = new.sweep_id and status = 'succeeded'
               and mined_height = new.swept_height) then
          raise exception 'sweep % moved nothing', new.sweep_id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger sweep_item_guard before update or delete on sweep_item
        for each row execute function sweep_item_guard()`);
  }

  private createContracts(): void {
    this.addSql(`
      create table sweep_contract (
        id text primary key,
        chain_ref text not null references hot_wallet,
        kind text not null check (kind in ('delegate', 'batch')),
        address text not null,
        waiting_reason text,
        trouble text check (trouble in ('no_deployment_proxy', 'foreign_code', 'deployment_failed')),
        created_at timestamptz(3) not null default now(),
        signed_at timestamptz(3),
        ready_at timestamptz(3),
        abandoned_at timestamptz(3),
        check (abandoned_at is null or (ready_at is null and trouble is not distinct from 'deployment_failed'))
      )`);
    // Staff have one that failed deployed anew, by a row of its own: what was signed for stays as it is.
    this.addSql(`
      create unique index sweep_contract_current on sweep_contract (chain_ref, address) where abandoned_at is null`);
    this.addSql(`
      create function sweep_contract_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.ready_at is not null or old.abandoned_at is not null
            or (new.id, new.chain_ref, new.kind, new.address, new.created_at)
              is distinct from (old.id, old.chain_ref, old.kind, old.address, old.created_at)
            or (old.signed_at is not null and new.signed_at is distinct from old.signed_at) then
          raise exception 'a contract keeps its address, and is found once'
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger sweep_contract_guard before update or delete on sweep_contract
        for each row execute function sweep_contract_guard()`);
    // Proven by a sweep that worked: the batch passes over an address that delegates to anything else.
    this.addSql(`
      create table delegation (
        chain_ref text not null references chain,
        address_id bigint not null references pool_address,
        delegate text not null,
        since_height bigint not null,
        primary key (chain_ref, address_id)
      )`);
  }
}
