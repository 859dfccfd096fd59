import { Migration } from '@mikro-orm/migrations';

/** Finds the deposits that staff have to look at, newest first, without reading those that were paid as they should. */
export class UnattributedMigration extends Migration {
  override name = '20261121-10-unattributed';

  override up(): void {
    this.addSql(`
      create index deposit_odd on deposit (chain_ref, seen_at desc, id desc) include (unattributed_reason)
        where status <> 'orphaned' and (unattributed_reason is not null or late)`);
  }
}
