import { Migration } from '@mikro-orm/migrations';

/** After a restore, an operator takes into the books what the vault signed before: no verdict of this vault, but one. */
export class AdoptionMigration extends Migration {
  override name = '20261121-27-adoption';

  override up(): void {
    this.addSql(`
      alter table vault_audit
        drop constraint vault_audit_verdict_check,
        drop constraint vault_audit_check,
        add constraint vault_audit_verdict_check check (verdict in ('signed', 'refused', 'adopted')),
        add constraint vault_audit_check check ((verdict <> 'refused') = (tx_hash is not null))`);
  }
}
