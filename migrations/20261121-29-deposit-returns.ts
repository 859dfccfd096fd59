import { Migration } from '@mikro-orm/migrations';

const POCKET_ACCOUNTS = `('pocket_available', 'pocket_held')`;
const HOLDING_ACCOUNTS = `('suspense', 'frozen', 'returning')`;
const OTHER_ACCOUNTS = `('chain', 'fee_income', 'network_fees', 'receivable', 'capital')`;

/** Deposits that staff have paid out of suspense to an address: each an order, which the vault signs like a withdrawal. */
export class DepositReturnsMigration extends Migration {
  override name = '20261121-29-deposit-returns';

  override up(): void {
    this.addAccount();
    this.createReturns();
    this.guardReturns();
    this.guardDeposits();
    // Last, since it keeps everybody out of the table until this migration is over.
    this.addSql(`
      alter table chain_transaction
        drop constraint chain_transaction_purpose_check,
        drop constraint chain_transaction_amount_check,
        add constraint chain_transaction_purpose_check
          check (purpose in ('withdrawal', 'sweep', 'contract', 'deposit_return')),
        add constraint chain_transaction_amount_check
          check (case when purpose in ('withdrawal', 'deposit_return') then amount > 0
                      else amount = 0 and value = 0 end)`);
  }

  /** What is on its way out lies apart from suspense, so that nobody can give it to anybody else meanwhile. */
  private addAccount(): void {
    this.addSql(`
      alter table account
        drop constraint account_kind_check,
        drop constraint account_check1,
        add constraint account_kind_check
          check (kind in ${POCKET_ACCOUNTS} or kind in ${HOLDING_ACCOUNTS} or kind in ${OTHER_ACCOUNTS}),
        add constraint account_check1
          check ((balance is not null) = (kind in ${POCKET_ACCOUNTS} or kind in ${HOLDING_ACCOUNTS}))`);
  }

  /** Chain, token and amount are the deposit's, which never change once it is final: an order cannot ask for another. */
  private createReturns(): void {
    this.addSql(`
      create table deposit_return (
        id text primary key,
        deposit_id text not null references deposit,
        destination text not null,
        destination_key text not null,
        status text not null check (status in ('broadcasting', 'completed', 'failed')),
        waiting_reason text,
        signed_at timestamptz(3),
        tx_hash text,
        failure_code text,
        created_at timestamptz(3) not null default now(),
        ended_at timestamptz(3),
        check ((status = 'broadcasting') = (ended_at is null)),
        check (status <> 'completed' or (tx_hash is not null and signed_at is not null)),
        check ((status = 'failed') = (failure_code is not null))
      )`);
    // A deposit is paid out once: another order is possible only when the one before it failed.
    this.addSql(`create unique index deposit_return_once on deposit_return (deposit_id) where status <> 'failed'`);
    this.addSql(`create index deposit_return_of_deposit on deposit_return (deposit_id, created_at)`);
    this.addSql(`
      create index deposit_return_open on deposit_return (created_at, id) where status = 'broadcasting'`);
  }

  private guardReturns(): void {
    this.addSql(`
      create function deposit_return_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.status <> 'broadcasting'
            or (new.id, new.deposit_id, new.destination, new.destination_key, new.created_at)
              is distinct from (old.id, old.deposit_id, old.destination, old.destination_key, old.created_at)
            or (old.signed_at is not null and new.signed_at is distinct from old.signed_at) then
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
    this.addSql(`
      create trigger deposit_return_guard before update or delete on deposit_return
        for each row execute function deposit_return_guard()`);
    this.addSql(`
      create trigger deposit_return_no_truncate before truncate on deposit_return
        for each statement execute function ledger_is_append_only()`);
  }

  /**
   * As before, and: a deposit in suspense may go on its way out, with an order; it has left once that is completed, is in
   * suspense again once that has failed, and is not booked out otherwise.
   */
  private guardDeposits(): void {
    this.addSql(`
      alter table deposit
        drop constraint deposit_held_check,
        add constraint deposit_held_check check (
          case when held_as is null then true
               when held_as in ('suspense', 'returning') then credited_at is not null and intent_id is null
               when held_as in ('frozen', 'kept') then credited_at is not null and listed_sender_id is not null
               else false end)`);
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
        if (old.reversed_at is not null and new.reversed_at is distinct from old.reversed_at)
            or (old.restored_at is not null and new.restored_at is distinct from old.restored_at) then
          raise exception 'deposit % is reversed or restored already', old.id
            using errcode = 'integrity_constraint_violation';
        end if;
        if (old.reversed_at is null and new.reversed_at is not null and new.gone_at is null)
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
