import { Migration } from '@mikro-orm/migrations';

/** What gas cost on each chain, round by round. */
export class FeeRoundsMigration extends Migration {
  override name = '20261121-17-fee-rounds';

  override up(): void {
    this.addSql(`
      create table fee_round (
        id bigint generated always as identity primary key,
        chain_ref text not null references chain,
        base_fee numeric(78,0) not null check (base_fee >= 0),
        tip_standard numeric(78,0) not null check (tip_standard > 0),
        tip_fast numeric(78,0) not null check (tip_fast >= tip_standard),
        taken_at timestamptz(3) not null
      )`);
    this.addSql(`create index fee_round_newest on fee_round (chain_ref, taken_at desc)`);
  }
}
