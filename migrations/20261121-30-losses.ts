import { Migration } from '@mikro-orm/migrations';

/**
 * What a hot wallet paid and no order explains: staff take it in as a loss. No vault signs such a thing. And what was signed
 * with a nonce that a forgotten transaction has on the chain: staff end it, since it is never mined.
 */
export class LossesMigration extends Migration {
  override name = '20261121-30-losses';

  override up(): void {
    this.addSql(`
      alter table vault_audit
        add constraint vault_audit_loss_check check (purpose <> 'loss' or verdict = 'adopted')`);
    this.addSql(`
      alter table chain_transaction
        drop constraint chain_transaction_purpose_check,
        drop constraint chain_transaction_amount_check,
        add constraint chain_transaction_purpose_check
          check (purpose in ('withdrawal', 'sweep', 'contract', 'deposit_return', 'loss')),
        add constraint chain_transaction_amount_check
          check (case when purpose in ('withdrawal', 'deposit_return') then amount > 0
                      when purpose = 'loss' then amount >= 0
                      else amount = 0 and value = 0 end)`);
    this.letSupersede();
  }

  /** A superseded transaction leaves its place among the nonces to the one that the chain took. */
  private letSupersede(): void {
    this.addSql(`
      alter table chain_transaction
        drop constraint chain_transaction_chain_ref_sender_nonce_key,
        drop constraint chain_transaction_status_check,
        add constraint chain_transaction_status_check
          check (status in ('signed', 'succeeded', 'reverted', 'abandoned', 'superseded'))`);
    this.addSql(`
      create unique index chain_transaction_nonce on chain_transaction (chain_ref, sender, nonce)
        where status <> 'superseded'`);
    this.addSql(`
      create function chain_transaction_supersede_guard() returns trigger language plpgsql as $$
      begin
        if not exists (select from audit_entry where action = 'transaction.supersede' and subject = new.id) then
          raise exception 'nobody decided that transaction % is never mined', new.id
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger chain_transaction_supersede_guard before update on chain_transaction
        for each row when (new.status = 'superseded') execute function chain_transaction_supersede_guard()`);
  }
}
