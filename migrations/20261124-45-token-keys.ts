import { Migration } from '@mikro-orm/migrations';

/**
 * Contracts are compared as they are stored, because some networks distinguish the case of letters. Those of EVM networks
 * must therefore be stored in lower case, in which every other table takes them from here.
 */
export class TokenKeysMigration extends Migration {
  override name = '20261124-45-token-keys';

  override up(): void {
    this.addSql(`
      alter table chain_token
        add constraint chain_token_contract_key check (contract !~* '^0x' or contract = lower(contract))`);
  }
}
