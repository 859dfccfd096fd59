import { Migration } from '@mikro-orm/migrations';

/**
 * What was signed for an order and is never mined does not end the order: it waits unsigned again, for another
 * transaction. What a loss took besides coins is written down token by token. And a deposit that was restored may be gone
 * once more.
 */
export class ReopenedOrdersMigration extends Migration {
  override name = '20261121-33-reopened-orders';

  override up(): void {
    this.createLossItems();
    this.guardDeposits();
    this.addSql(`
      create function all_superseded(of_purpose text, of_id text) returns boolean language sql stable as $$
        select coalesce(bool_and(status = 'superseded'), false) from chain_transaction
         where purpose = of_purpose and purpose_id = of_id
      $$`);
    this.guardWithdrawals();
    this.guardReturns();
    this.guardContracts();
    // Last, since it keeps everybody out of the table until this migration is over. One index for both: that an order has
    // one transaction beside superseded ones, and the way from an order to all of them.
    this.addSql(`
      create unique index chain_transaction_order
        on chain_transaction (purpose, purpose_id, (case status when 'superseded' then id else '' end))`);
    this.addSql(`alter table chain_transaction drop constraint chain_transaction_purpose_purpose_id_key`);
  }

  /** Tokens that left a hot wallet by a loss, by the logs of its final receipt; coins are what it carried. */
  private createLossItems(): void {
    this.addSql(`
      create table loss_item (
        transaction_id text not null references chain_transaction,
        chain_ref text not null references hot_wallet,
        token_contract text not null check (token_contract <> 'native'),
        amount numeric(78,0) not null check (amount > 0),
        height bigint not null,
        primary key (transaction_id, token_contract)
      )`);
    // What the newest balance, or the last comparison, of the hot wallet does not know yet.
    this.addSql(`create index loss_item_taken on loss_item (chain_ref, height)`);
    this.addSql(`
      create function loss_item_guard() returns trigger language plpgsql as $$
      begin
        if not exists (
            select from chain_transaction
             where id = new.transaction_id and purpose = 'loss' and status = 'succeeded'
               and chain_ref = new.chain_ref and mined_height = new.height) then
          raise exception 'transaction % is no loss that ended at block %', new.transaction_id, new.height
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger loss_item_guard before insert on loss_item for each row execute function loss_item_guard()`);
    this.addSql(`
      create trigger loss_item_append_only before update or delete on loss_item
        for each row execute function ledger_is_append_only()`);
    this.addSql(`
      create trigger loss_item_no_truncate before truncate on loss_item
        for each statement execute function ledger_is_append_only()`);
  }

  /** As before, and: once all that was signed for it is superseded, a withdrawal may wait unsigned again, and show no hash. */
  private guardWithdrawals(): void {
    this.addSql(`
      create or replace function withdrawal_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.status <> 'broadcasting'
            or (new.id, new.merchant_id, new.environment, new.pocket_id, new.chain_ref, new.network, new.token,
                new.token_contract, new.token_decimals, new.minor_unit_exponent, new.amount_cents, new.amount,
                new.network_fee_cents, new.fee_amount, new.destination, new.destination_key, new.fee_strategy,
                new.reference, new.created_at)
              is distinct from
               (old.id, old.merchant_id, old.environment, old.pocket_id, old.chain_ref, old.network, old.token,
                old.token_contract, old.token_decimals, old.minor_unit_exponent, old.amount_cents, old.amount,
                old.network_fee_cents, old.fee_amount, old.destination, old.destination_key, old.fee_strategy,
                old.reference, old.created_at)
            or (old.signed_at is not null and new.signed_at is distinct from old.signed_at
                and not (new.signed_at is null and new.tx_hash is null and new.status = 'broadcasting'
                         and all_superseded('withdrawal', new.id))) then
          raise exception 'a withdrawal keeps its terms, and ends once' using errcode = 'integrity_constraint_violation';
        end if;
        if new.status = 'completed' and not exists (
            select from chain_transaction
             where purpose = 'withdrawal' and purpose_id = new.id and status = 'succeeded'
               and mined_hash = new.tx_hash) then
          raise exception 'withdrawal % was not paid by %', new.id, new.tx_hash
            using errcode = 'integrity_constraint_violation';
        end if;
        if new.status = 'failed' and exists (
            select from chain_transaction
             where purpose = 'withdrawal' and purpose_id = new.id and status in ('signed', 'succeeded')) then
          raise exception 'withdrawal % may be paid already', new.id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }

  private guardReturns(): void {
    this.addSql(`
      create or replace function deposit_return_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.status <> 'broadcasting'
            or (new.id, new.deposit_id, new.destination, new.destination_key, new.created_at)
              is distinct from (old.id, old.deposit_id, old.destination, old.destination_key, old.created_at)
            or (old.signed_at is not null and new.signed_at is distinct from old.signed_at
                and not (new.signed_at is null and new.tx_hash is null and new.status = 'broadcasting'
                         and all_superseded('deposit_return', new.id))) then
          raise exception 'a return keeps its terms, and ends once' using errcode = 'integrity_constraint_violation';
        end if;
        if new.status = 'completed' and not exists (
            select from chain_transaction
             where purpose = 'deposit_return' and purpose_id = new.id and status = 'succeeded'
               and mined_hash = new.tx_hash) then
          raise exception 'return % was not paid by %', new.id, new.tx_hash
            using errcode = 'integrity_constraint_violation';
        end if;
        if new.status = 'failed' and exists (
            select from chain_transaction
             where purpose = 'deposit_return' and purpose_id = new.id and status in ('signed', 'succeeded')) then
          raise exception 'return % may be paid already', new.id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }

  private guardContracts(): void {
    this.addSql(`
      create or replace function sweep_contract_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.ready_at is not null or old.abandoned_at is not null
            or (new.id, new.chain_ref, new.kind, new.address, new.created_at)
              is distinct from (old.id, old.chain_ref, old.kind, old.address, old.created_at)
            or (old.signed_at is not null and new.signed_at is distinct from old.signed_at
                and not (new.signed_at is null and all_superseded('contract', new.id))) then
          raise exception 'a contract keeps its address, and is found once'
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }

  /** As before, and: what was restored may be reversed again, which takes back that it is restored. */
  private guardDeposits(): void {
    this.addSql(`
      create or replace function deposit_guard() returns trigger language plpgsql as $$
      begin
        if old.status = 'confirmed' and (tg_op = 'DELETE' or new.status <> 'confirmed') then
          raise exception 'deposit % is final', old.id using errcode = 'integrity_constraint_violation';
        end if;
        if tg_op = 'DELETE' then
          return old;
        end if;
        if old.status <> 'confirmed' and new.status = 'confirmed' and new.listed_sender_id is null then
          new.listed_sender_id := listed_sender_of(new.chain_ref, new.from_address);
        end if;
        if old.credited_at is not null and new.credited_at is distinct from old.credited_at then
          raise exception 'deposit % is credited already', old.id using errcode = 'integrity_constraint_violation';
        end if;
        if (new.chain_ref, new.tx_hash, new.position, new.seen_at)
            is distinct from (old.chain_ref, old.tx_hash, old.position, old.seen_at) then
          raise exception 'the identity of deposit % is immutable', old.id using errcode = 'integrity_constraint_violation';
        end if;
        if old.status = 'confirmed'
            and (new.token_contract, new.amount, new.address_id, new.intent_id, new.merchant_id, new.listed_sender_id)
              is distinct from
                (old.token_contract, old.amount, old.address_id, old.intent_id, old.merchant_id, old.listed_sender_id) then
          raise exception 'what deposit % moved is final', old.id using errcode = 'integrity_constraint_violation';
        end if;
        if ((old.reversed_at is not null and new.reversed_at is distinct from old.reversed_at)
             or (old.restored_at is not null and new.restored_at is distinct from old.restored_at))
            and not (old.restored_at is not null and new.restored_at is null and new.reversed_at > old.reversed_at) then
          raise exception 'deposit % is reversed or restored already', old.id
            using errcode = 'integrity_constraint_violation';
        end if;
        if (new.reversed_at is distinct from old.reversed_at and new.reversed_at is not null and new.gone_at is null)
            or (old.restored_at is null and new.restored_at is not null and new.gone_at is not null) then
          raise exception 'the chain says otherwise of deposit %', old.id
            using errcode = 'integrity_constraint_violation';
        end if;
        if old.credited_at is null and new.credited_at is not null then
          if new.gone_at is not null then
            raise exception 'deposit % was found gone meanwhile', old.id using errcode = 'serialization_failure';
          end if;
          if new.listed_sender_id is not null and new.held_as is null then
            raise exception 'deposit % is of a listed sender: it is to be frozen', old.id
              using errcode = 'serialization_failure';
          end if;
          if new.held_as is distinct from (case when new.listed_sender_id is not null then 'frozen'
                                                when new.intent_id is null then 'suspense' end) then
            raise exception 'deposit % is not to be held as %', old.id, coalesce(new.held_as, 'nothing')
              using errcode = 'integrity_constraint_violation';
          end if;
        elsif new.held_as is distinct from old.held_as
            and (old.held_as is not distinct from 'returning'
                 or (new.reversed_at, new.restored_at) is not distinct from (old.reversed_at, old.restored_at))
            and not coalesce(
              case old.held_as
                when 'suspense' then new.held_as is null
                  or (new.held_as = 'returning' and exists (
                        select from deposit_return where deposit_id = new.id and status = 'broadcasting'))
                when 'returning' then case
                  when new.held_as is null then exists (
                    select from deposit_return where deposit_id = new.id and status = 'completed')
                  else new.held_as = 'suspense' and not exists (
                    select from deposit_return where deposit_id = new.id and status <> 'failed') end
                when 'frozen' then new.held_as = 'kept' or new.held_as is not distinct from
                  case when new.intent_id is null then 'suspense' end
                when 'kept' then new.held_as is not distinct from case when new.intent_id is null then 'suspense' end
              end, false) then
          raise exception 'deposit % goes no such way: from % to %', old.id, coalesce(old.held_as, 'nothing'),
              coalesce(new.held_as, 'nothing') using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }
}
