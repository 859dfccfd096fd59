import { Migration } from '@mikro-orm/migrations';

/** What two nodes of a chain must agree on before money counts, and what they disagree on. */
export class SecondNodeMigration extends Migration {
  override name = '20261121-09-second-node';

  override up(): void {
    this.addSql(`alter table chain_cursor add column finality_doubt text`);
    this.addSql(`
      alter table deposit add column second_node_at timestamptz(3), add column second_node_due_at timestamptz(3)`);
    // Two nodes spoke of one transfer in one block: about anything else they have said nothing.
    this.addSql(`
      create function deposit_second_node_guard() returns trigger language plpgsql as $$
      begin
        if (new.block_hash, new.token_contract, new.to_address, new.amount)
            is distinct from (old.block_hash, old.token_contract, old.to_address, old.amount) then
          new.second_node_at := null;
          new.second_node_due_at := null;
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger deposit_second_node_guard before update on deposit
        for each row execute function deposit_second_node_guard()`);
  }
}
