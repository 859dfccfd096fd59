import { Migration } from '@mikro-orm/migrations';

/**
 * Lets the sandbox pay on solana, and its intents move to the successor of a solana chain: there the genesis is the chain id,
 * so that a chain that starts over has another one.
 */
export class SolanaSandboxMigration extends Migration {
  override name = '20261126-50-solana-sandbox';

  override up(): void {
    this.addSql(`alter table sandbox_payment add column validity jsonb`);
    this.addSql(`create unique index sandbox_payment_transaction on sandbox_payment (chain_ref, tx_hash)`);
    this.addSql(`
      create or replace function payment_intent_chain_guard() returns trigger language plpgsql as $$
      begin
        if not exists (
          select from chain gone join chain successor using (environment, network)
           where gone.environment = 'sandbox' and gone.id = old.chain_ref and not gone.active
             and successor.id = new.chain_ref and successor.active
             and (successor.chain_id = gone.chain_id or gone.family <> 'evm')) then
          raise exception 'the chain of payment intent % is locked', old.id
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }
}
