import { Migration } from '@mikro-orm/migrations';

/** Deposits of a chain's own coin, which comes by transactions, without a log, and inside of contracts, without a trace. */
export class NativeDepositsMigration extends Migration {
  override name = '20261121-06-native-deposits';

  override up(): void {
    // A transaction without a log has the position -1; what only a balance showed names neither transaction nor sender.
    this.addSql(`
      alter table deposit
        alter column tx_hash drop not null,
        alter column from_address drop not null,
        drop constraint deposit_position_check,
        add constraint deposit_position_check
          check (case when token_contract = 'native' then position = -1 else position >= 0 end),
        add constraint deposit_origin_check
          check ((tx_hash is null) = (from_address is null) and (tx_hash is not null or token_contract = 'native'))`);
    this.addSql(`
      create unique index deposit_remainder on deposit (chain_ref, address_id, block_hash) where tx_hash is null`);
    // A listener asks at every block who waits for the coin; the answer is short, whatever else was sold.
    this.addSql(`
      create index payment_intent_coin on payment_intent (chain_ref, status, updated_at) where token_contract = 'native'`);
  }
}
