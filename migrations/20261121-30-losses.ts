import { Migration } from '@mikro-orm/migrations';

/** What a hot wallet paid and no order explains: staff take it in as a loss. No vault signs such a thing. */
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
  }
}
