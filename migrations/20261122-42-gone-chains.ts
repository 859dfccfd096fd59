import { Migration } from '@mikro-orm/migrations';

/**
 * A development chain whose node was killed starts again with another genesis. Open intents then move to the chain that
 * took its place, and so do the payment orders of the sandbox, which are followed until their transaction is final.
 */
export class GoneChainsMigration extends Migration {
  override name = '20261122-42-gone-chains';

  override up(): void {
    this.followOrders();
    this.letIntentsMove();
    this.findIntents();
  }

  private followOrders(): void {
    this.addSql(`
      alter table sandbox_payment
        add column due_at timestamptz(3) not null default date_trunc('milliseconds', now()),
        drop constraint sandbox_payment_status_check,
        add constraint sandbox_payment_status_check check (status in ('queued', 'signed', 'sent', 'final', 'failed'))`);
    // Until now nothing followed an order after its first broadcast.
    this.addSql(`
      update sandbox_payment payment set status = 'final'
       where status = 'sent' and exists (select from deposit where deposit.chain_ref = payment.chain_ref
                                            and deposit.tx_hash = payment.tx_hash and deposit.status = 'confirmed')`);
    this.addSql(`
      update sandbox_payment payment set status = 'failed', failure = 'The payment did not become final.'
        from payment_intent intent
       where payment.status = 'sent' and intent.id = payment.intent_id
         and intent.status in ('completed', 'failed', 'cancelled', 'expired')
         and not exists (select from deposit where deposit.chain_ref = payment.chain_ref
                            and deposit.tx_hash = payment.tx_hash and deposit.status = 'seen')`);
    this.addSql(`drop index sandbox_payment_open`);
    this.addSql(`
      create index sandbox_payment_open on sandbox_payment (due_at) where status in ('queued', 'signed', 'sent')`);
    this.addSql(`create index sandbox_payment_of_intent on sandbox_payment (intent_id)`);
  }

  /** A quote stays locked in all but the chain's row, which may change to the successor of a sandbox chain that is gone. */
  private letIntentsMove(): void {
    this.addSql(`
      do $$
      declare
        source text := pg_get_functiondef('payment_intent_guard()'::regprocedure);
        changed text := replace(replace(source, ', new.chain_ref)', ')'), ', old.chain_ref)', ')');
      begin
        if changed = source then
          raise exception 'payment_intent_guard does not lock chain_ref';
        end if;
        execute changed;
      end $$`);
    this.addSql(`
      create function payment_intent_chain_guard() returns trigger language plpgsql as $$
      begin
        if not exists (
          select from chain gone join chain successor using (environment, network, chain_id)
           where gone.environment = 'sandbox' and gone.id = old.chain_ref and not gone.active
             and successor.id = new.chain_ref and successor.active) then
          raise exception 'the chain of payment intent % is locked', old.id
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger payment_intent_chain_guard before update on payment_intent for each row
        when (old.chain_ref is not null and new.chain_ref is distinct from old.chain_ref)
        execute function payment_intent_chain_guard()`);
  }
  /** Sandbox alone, so that a live intent costs nothing; a new intent has no chain, and enters it with its address. */
  private findIntents(): void {
    const chain = `(case when environment = 'sandbox' and status in ('created', 'requires_action', 'processing')
                         then chain_ref end)`;
    this.addSql(`create index payment_intent_of_chain on payment_intent (${chain}) where ${chain} is not null`);
  }
}
