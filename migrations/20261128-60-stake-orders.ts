import { Migration } from '@mikro-orm/migrations';

/** Operators order a hot wallet to stake coins for energy, to take them back, and to withdraw those that are due. */
export class StakeOrdersMigration extends Migration {
  override name = '20261128-60-stake-orders';

  override up(): void {
    // Checked in a migration of its own, which locks out no writer. The value is the amount of staked coins. There is no recipient.
    this.addSql(`
      alter table chain_transaction
        drop constraint chain_transaction_purpose_check,
        drop constraint chain_transaction_amount_check,
        add constraint chain_transaction_purpose_check
          check (purpose in ('withdrawal', 'sweep', 'contract', 'deposit_return', 'loss', 'funding', 'energy_loan',
                             'energy_return', 'stake')) not valid,
        add constraint chain_transaction_amount_check
          check (case when purpose in ('withdrawal', 'deposit_return') then amount > 0
                      when purpose = 'funding' then amount > 0 and value = amount and token_contract = 'native'
                      when purpose = 'loss' then amount >= 0
                      when purpose = 'stake' then amount = 0 and token_contract = 'native' and destination = sender
                      else amount = 0 and value = 0 end) not valid`);
    this.createOrders();
    this.guardOrders();
  }

  private createOrders(): void {
    this.addSql(`
      create table stake_order (
        id text primary key,
        chain_ref text not null references hot_wallet,
        move text not null constraint stake_order_move_check check (move in ('stake', 'unstake', 'withdraw')),
        amount numeric(78,0) not null,
        is_adopted boolean not null default false,
        waiting_reason text,
        created_at timestamptz(3) not null default now(),
        signed_at timestamptz(3),
        finished_at timestamptz(3),
        succeeded boolean,
        final_height bigint,
        constraint stake_order_amount_check
          check (case when move = 'withdraw' then amount = 0 else amount > 0 end),
        check ((finished_at is null) = (succeeded is null)),
        check ((final_height is not null) = (succeeded is not null and succeeded)),
        check (signed_at is not null or not is_adopted)
      )`);
    // The same command twice orders once.
    this.addSql(
      `create unique index stake_order_open on stake_order (chain_ref) where finished_at is null and not is_adopted`,
    );
    this.addSql(`
      create index stake_order_to_sign on stake_order (created_at, id) where finished_at is null and signed_at is null`);
    this.addSql(`create index stake_order_of_chain on stake_order (chain_ref, created_at desc, id desc)`);
    // What the newest stake that was read does not know yet.
    this.addSql(`create index stake_order_leaving on stake_order (chain_ref, final_height) where move = 'unstake'`);
    this.addSql(`
      create trigger stake_order_no_truncate before truncate on stake_order
        for each statement execute function ledger_is_append_only()`);
  }

  private guardOrders(): void {
    this.addSql(`
      create function stake_order_insert_guard() returns trigger language plpgsql as $$
      begin
        if new.finished_at is not null then
          raise exception 'an order to stake begins open' using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger stake_order_insert_guard before insert on stake_order
        for each row execute function stake_order_insert_guard()`);
    this.addSql(`
      create function stake_order_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.finished_at is not null
            or (new.id, new.chain_ref, new.move, new.amount, new.is_adopted, new.created_at)
              is distinct from (old.id, old.chain_ref, old.move, old.amount, old.is_adopted, old.created_at)
            or (old.signed_at is not null and new.signed_at is distinct from old.signed_at) then
          raise exception 'an order to stake keeps its terms, and ends once'
            using errcode = 'integrity_constraint_violation';
        end if;
        if new.finished_at is not null and exists (
            select from chain_transaction where purpose = 'stake' and purpose_id = new.id and status = 'signed') then
          raise exception 'stake % may still be mined', new.id using errcode = 'integrity_constraint_violation';
        end if;
        if new.succeeded is not null and new.succeeded <> exists (
            select from chain_transaction
             where purpose = 'stake' and purpose_id = new.id and status = 'succeeded'
               and (not new.succeeded or mined_height = new.final_height)) then
          raise exception 'stake % did not end like this', new.id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger stake_order_guard before update or delete on stake_order
        for each row execute function stake_order_guard()`);
  }
}
