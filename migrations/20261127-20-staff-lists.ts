import { Migration } from '@mikro-orm/migrations';

/**
 * Staff list the intents of all merchants, merchant by merchant along the indexes that merchants use. Two filters of theirs
 * stood on none: the token is the last column of an index that exists, so that no write costs more; intents that were paid
 * with too little or too much are few, and have an index of their own.
 */
export class StaffListsMigration extends Migration {
  override name = '20261127-20-staff-lists';

  override up(): void {
    const newestFirst = 'created_at desc, id desc';
    this.addSql(`drop index payment_intent_network_status`);
    this.addSql(`
      create index payment_intent_network_status
        on payment_intent (merchant_id, environment, network, status, ${newestFirst}, token)`);
    this.addSql(`
      create index payment_intent_unusual on payment_intent (merchant_id, environment, ${newestFirst})
        where failure_code = 'underpaid' or accepted_shortfall_cents > 0 or overpaid_amount_cents > 0`);
  }
}
