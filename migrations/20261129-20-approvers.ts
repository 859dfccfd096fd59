import { Migration } from '@mikro-orm/migrations';

/**
 * A member who issued an API key in the console must not approve what is ordered with it: one member could otherwise pay
 * out alone. Null where the key was issued in a shell, which can do more than that anyway.
 */
export class ApproversMigration extends Migration {
  override name = '20261129-20-approvers';

  override up(): void {
    this.addSql(`
      alter table withdrawal_approval
        add column ordered_by text,
        add constraint withdrawal_approval_by_another check (approved_by <> ordered_by)`);
  }
}
