import { Migration } from '@mikro-orm/migrations';

/** The intents with an address in the order in which coins are looked for: the open ones, then what ended, newest first. */
export class RecentAddressesMigration extends Migration {
  override name = '20261122-41-recent-addresses';

  override up(): void {
    this.addSql(`
      create index payment_intent_recent on payment_intent (
          environment,
          (case when status in ('created', 'requires_action', 'processing') then 'infinity'::timestamptz else updated_at end),
          id)
        where address is not null`);
  }
}
