import { Migration } from '@mikro-orm/migrations';

/** Lists the disabled endpoints of an environment, which are few among many, without reading the enabled ones. */
export class DisabledEndpointsMigration extends Migration {
  override name = '20261128-40-disabled-endpoints';

  override up(): void {
    this.addSql(`
      create index webhook_endpoint_disabled on webhook_endpoint (environment, created_at desc, id desc)
        where deleted_at is null and not enabled`);
  }
}
