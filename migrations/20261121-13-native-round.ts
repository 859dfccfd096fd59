import { Migration } from '@mikro-orm/migrations';

/** Where the slow round over all addresses stands, and the intents that wait for a coin in the order of their own round. */
export class NativeRoundMigration extends Migration {
  override name = '20261121-13-native-round';

  override up(): void {
    // It outlives the process that leads: a round over many addresses takes longer than most of them live.
    this.addSql(`alter table chain_cursor add column native_round_below bigint`);
    this.addSql(`
      create index payment_intent_coin_open on payment_intent (chain_ref, id)
        where token_contract = 'native' and status in ('created', 'requires_action', 'processing')`);
  }
}
