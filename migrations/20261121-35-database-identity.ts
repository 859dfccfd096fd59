import { Migration } from '@mikro-orm/migrations';

/** On which database a hot wallet last took a nonce, so that one that knows less of it is noticed before it signs. */
export class DatabaseIdentityMigration extends Migration {
  override name = '20261121-35-database-identity';

  override up(): void {
    this.addSql(`alter table hot_wallet add column database_identity text`);
    this.tellIdentity();
    this.addSql(`update hot_wallet set database_identity = database_identity()`);
  }

  /**
   * `system identifier/timeline`. The timeline is that of what is written now: pg_control_checkpoint() tells the old one until
   * the first checkpoint after a promotion has ended, which may take minutes. Servers whose replicas share one storage lose
   * nothing in a failover and may lack these functions (Amazon Aurora): there the identity never changes.
   */
  private tellIdentity(): void {
    this.addSql(`
      create function database_identity() returns text language plpgsql volatile as $$
      begin
        return (select system_identifier from pg_control_system()) || '/' ||
               ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int;
      exception when feature_not_supported then
        return 'shared storage';
      end $$`);
  }
}
