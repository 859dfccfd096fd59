import { Migration } from '@mikro-orm/migrations';

/**
 * Finds intents by their reference, and withdrawals by their reference and destination. Network and status are part of the
 * index, so that it serves every filter beside them. The address of an intent and the hashes of transactions are found by
 * the indexes that keep them unique.
 */
export class FindingMigration extends Migration {
  override name = '20261122-43-finding';

  override up(): void {
    const newestFirst = 'created_at desc, id desc';
    this.addSql(`
      create index payment_intent_reference
        on payment_intent (merchant_id, environment, reference, network, status, ${newestFirst})
        where reference is not null`);
    // A pocket belongs to one merchant in one environment.
    this.addSql(`
      create index withdrawal_reference on withdrawal (pocket_id, reference, status, ${newestFirst})
        where reference is not null`);
    this.addSql(`
      create index withdrawal_destination_status on withdrawal (pocket_id, destination_key, status, ${newestFirst})`);
  }
}
