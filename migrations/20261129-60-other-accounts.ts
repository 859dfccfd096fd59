import { Migration } from '@mikro-orm/migrations';

/** Funds in token accounts of our addresses that are not their associated ones, and how far the search for them has come. */
export class OtherAccountsMigration extends Migration {
  override name = '20261129-60-other-accounts';

  override up(): void {
    this.addSql(`
      create table other_account (
        chain_ref text not null references chain,
        account text not null,
        address_id bigint not null references pool_address,
        token_contract text not null,
        units numeric(78,0) not null check (units > 0),
        found_at timestamptz(3) not null default now(),
        primary key (chain_ref, account)
      )`);
    // What explains the intent of an address.
    this.addSql(`create index other_account_address on other_account (address_id)`);
    this.addSql(`
      create table other_account_round (
        chain_ref text primary key references chain,
        below bigint,
        began_at timestamptz(3) not null default now()
      )`);
  }
}
