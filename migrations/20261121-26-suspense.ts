import { Migration } from '@mikro-orm/migrations';

const POCKET_ACCOUNTS = `('pocket_available', 'pocket_held')`;
const HOLDING_ACCOUNTS = `('suspense', 'frozen')`;
const OTHER_ACCOUNTS = `('chain', 'fee_income', 'network_fees', 'receivable')`;

/**
 * Final money that is in no pocket: unattributed deposits lie in suspense, those of listed senders in a frozen account,
 * each until staff decide. And money that was in the books when the chain took it back.
 */
export class SuspenseMigration extends Migration {
  override name = '20261121-26-suspense';

  override up(): void {
    this.addAccounts();
    this.addColumns();
    this.addSenderCheck();
    this.guardDeposits();
  }

  /** What is held for somebody has a balance, so that the database refuses to give out more than came in. */
  private addAccounts(): void {
    this.addSql(`
      alter table account
        drop constraint account_kind_check,
        drop constraint account_check,
        drop constraint account_check1`);
    this.addSql(`
      alter table account
        add constraint account_kind_check
          check (kind in ${POCKET_ACCOUNTS} or kind in ${HOLDING_ACCOUNTS} or kind in ${OTHER_ACCOUNTS}),
        add constraint account_check check ((merchant_id is not null) = (kind in ${POCKET_ACCOUNTS})),
        add constraint account_check1
          check ((balance is not null) = (kind in ${POCKET_ACCOUNTS} or kind in ${HOLDING_ACCOUNTS}))`);
  }

  private addColumns(): void {
    // deposit_check3 let only attributed deposits be booked.
    this.addSql(`
      alter table deposit
        drop constraint deposit_check3,
        add column listed_sender_id bigint references sanctioned_address,
        add column held_as text,
        add column gone_at timestamptz(3),
        add column reversed_at timestamptz(3),
        add column restored_at timestamptz(3)`);
    this.addSql(`
      alter table deposit
        add constraint deposit_credited_check check (credited_at is null or status = 'confirmed'),
        add constraint deposit_listed_check check (listed_sender_id is null or status = 'confirmed'),
        add constraint deposit_held_check check (
          case when held_as is null then true
               when held_as = 'suspense' then credited_at is not null and intent_id is null
               when held_as in ('frozen', 'kept') then credited_at is not null and listed_sender_id is not null
               else false end),
        add constraint deposit_gone_check check (gone_at is null or status = 'confirmed'),
        add constraint deposit_reversed_check check (
          reversed_at is null or (credited_at is not null and (held_as is null or restored_at is not null))),
        add constraint deposit_restored_check check (restored_at is null or reversed_at is not null)`);
    this.addSql(`
      create index deposit_unbooked on deposit (id)
        where status = 'confirmed' and intent_id is null and credited_at is null and gone_at is null`);
    // Whose coins no sweep takes.
    this.addSql(`create index deposit_listed on deposit (address_id) where listed_sender_id is not null`);
    this.addSql(`create index deposit_held on deposit (id) where held_as is not null`);
    this.addSql(
      `create index deposit_gone on deposit (chain_ref) where gone_at is not null or reversed_at is not null`,
    );
  }

  /** One probe of the index that holds the current list. Null for coins from inside of a contract: they name no sender. */
  private addSenderCheck(): void {
    this.addSql(`
      create function listed_sender_of(chain_ref text, sender text) returns bigint language sql stable as $$
        select listed.id from chain
          join sanctioned_address listed on listed.family = chain.family and listed.address_key = $2
         where chain.id = $1 and listed.removed_in is null
      $$`);
  }

  /**
   * As before, and: with finality comes the verdict on the sender, by the list of that moment, once; and the money goes one
   * way. The verdict is the database's, so that it stands also where a process of the version before makes a deposit
   * final. One that would then credit it as if nobody was listed is told to try again, until a process of this version
   * does it: refused for good, it would set the intent aside.
   */
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
            and (new.reversed_at, new.restored_at) is not distinct from (old.reversed_at, old.restored_at)
            and not coalesce(
              case old.held_as
                when 'suspense' then new.held_as is null
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
