import { Migration } from '@mikro-orm/migrations';

/** Token buckets of webhook inboxes: what an inbox takes is limited, since its address is open to the network. */
export class InboxBucketsMigration extends Migration {
  override name = '20261130-60-inbox-buckets';

  override up(): void {
    this.addSql(`
      create table inbox_bucket (
        inbox_id text primary key references webhook_inbox,
        tokens double precision not null,
        refilled_at timestamptz not null
      )`);
  }
}
