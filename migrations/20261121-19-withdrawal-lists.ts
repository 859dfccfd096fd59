import { Migration } from '@mikro-orm/migrations';

/** An index for every filter of the list of withdrawals, and for the limits that count what was signed in a day. */
export class WithdrawalListsMigration extends Migration {
  override name = '20261121-19-withdrawal-lists';

  override up(): void {
    const newestFirst = 'created_at desc, id desc';
    this.addSql(`create index withdrawal_status on withdrawal (merchant_id, environment, status, ${newestFirst})`);
    this.addSql(`create index withdrawal_pocket on withdrawal (pocket_id, ${newestFirst})`);
    this.addSql(`create index withdrawal_pocket_status on withdrawal (pocket_id, status, ${newestFirst})`);
    this.addSql(`drop index withdrawal_of_pocket`);
    this.addSql(`create index withdrawal_signed on withdrawal (merchant_id, environment, signed_at)`);
    this.addSql(`create index withdrawal_pocket_signed on withdrawal (pocket_id, signed_at)`);
  }
}
