import { Migration } from '@mikro-orm/migrations';

/**
 * Money on hold (final, from a listed sender, not released by staff) counts for no intent, and dust fails none. Intents
 * that have completed with such money stay as they are: their deposits are marked here, and nowhere after.
 */
export class PaymentsOnHoldMigration extends Migration {
  override name = '20261122-37-payments-on-hold';

  override up(): void {
    this.keepThePast();
    this.wakeIntents();
    this.guardIntents();
  }

  /** No column of a deposit: processes of the version before read whole rows by prepared statements. */
  private keepThePast(): void {
    // First, as settlements lock first; it keeps workers of the version before out until this migration is over.
    this.addSql(`
      alter table payment_intent
        alter column due_at drop not null,
        drop constraint payment_intent_failure_code_check,
        add constraint payment_intent_failure_code_check check (failure_code in ('underpaid', 'payment_on_hold'))`);
    this.addSql(`create table counted_on_hold (deposit_id text primary key references deposit)`);
    this.addSql(`
      insert into counted_on_hold (deposit_id)
      select deposit.id from deposit join payment_intent intent on intent.id = deposit.intent_id
       where deposit.held_as in ('frozen', 'kept') and not deposit.late and intent.status = 'completed'`);
    this.addSql(`
      create trigger counted_on_hold_closed before insert or update or delete on counted_on_hold
        for each row execute function ledger_is_append_only()`);
    this.addSql(`
      create trigger counted_on_hold_no_truncate before truncate on counted_on_hold
        for each statement execute function ledger_is_append_only()`);
    this.addSql(`
      insert into dirty_intent (intent_id)
      select distinct intent.id from deposit join payment_intent intent on intent.id = deposit.intent_id
       where deposit.held_as in ('frozen', 'kept') and intent.status in ('requires_action', 'processing')
       order by intent.id
      on conflict do nothing`);
    // Asked for whenever an intent ends.
    this.addSql(`
      create index deposit_of_listed on deposit (intent_id)
        where listed_sender_id is not null and intent_id is not null`);
  }

  /** A decision about money on hold is a fact of its intent, also where a command of the version before makes it. */
  private wakeIntents(): void {
    this.addSql(`
      create function deposit_decided() returns trigger language plpgsql as $$
      begin
        insert into dirty_intent (intent_id) values (new.intent_id)
          on conflict (intent_id) do update set marked_at = now(), quarantined_at = null, failures = 0;
        return null;
      end $$`);
    this.addSql(`
      create trigger deposit_decided after update of held_as on deposit for each row
        when (old.credited_at is not null and new.intent_id is not null and new.held_as is distinct from old.held_as)
        execute function deposit_decided()`);
  }

  /**
   * No intent ends by money on hold, nor fails by dust. A worker of the version before that would have it so tries again
   * after this error, until one that knows holds settles the intent.
   */
  private guardIntents(): void {
    // Money that is in time or late, and neither on hold nor kept.
    this.addSql(`
      create function counting_units(intent text) returns numeric language sql stable as $$
        select coalesce(sum(amount), 0) from deposit
         where intent_id = intent and status <> 'orphaned'
           and (status = 'seen' or listed_sender_id is null
                or (credited_at is not null and held_as is null
                    and (reversed_at is null or restored_at is not null
                         or exists (select from entry where reference = 'release:' || deposit.id))))
      $$`);
    this.addSql(`
      create function payment_intent_end() returns trigger language plpgsql as $$
      begin
        if exists (select from deposit where intent_id = new.id and listed_sender_id is not null)
            and new.received_crypto_amount > counting_units(new.id) then
          raise exception 'payment intent % counts money on hold', new.id using errcode = 'serialization_failure';
        end if;
        if new.failure_code = 'underpaid' and new.received_amount_cents < 1 then
          raise exception 'payment intent % was sent dust, which fails nothing', new.id
            using errcode = 'serialization_failure';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger payment_intent_end before update of status on payment_intent for each row
        when (old.status = 'processing' and new.status in ('completed', 'failed'))
        execute function payment_intent_end()`);
  }
}
