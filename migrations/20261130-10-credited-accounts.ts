import { Migration } from '@mikro-orm/migrations';

/**
 * Funds in other token accounts of our addresses are credited and swept: such an account is watched like the associated ones, and
 * an item of a sweep names the one that it empties. What cannot be credited says why.
 */
export class CreditedAccountsMigration extends Migration {
  override name = '20261130-10-credited-accounts';

  override up(): void {
    this.addSql(`alter table watched_account add column is_other boolean not null default false`);
    this.addSql(`create index watched_account_other on watched_account (chain_ref, account) where is_other`);
    // The search finds them again, and credits most of them.
    this.addSql(`delete from other_account`);
    this.addSql(`
      alter table other_account
        add column obstacle text not null
          check (obstacle in ('frozen', 'delegated', 'foreign_close_authority', 'too_many'))`);
    // Checked in a migration of its own, which locks out no writer.
    this.addSql(`
      alter table sweep_item
        add column account text,
        add constraint sweep_item_account_check check (
          account is null or (opens_account is not null and token_contract <> 'native' and cost_max is null)) not valid,
        add constraint sweep_item_account_fkey
          foreign key (chain_ref, account) references watched_account not valid`);
    this.guardItems();
  }

  /** As before, with the account that an item empties among its terms. */
  private guardItems(): void {
    this.addSql(`
      create or replace function sweep_item_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.swept is not null
            or (new.sweep_id, new.position, new.chain_ref, new.token_contract, new.address_id, new.account, new.expected,
                new.authorization_nonce, new.opens_account, new.closes_account, new.cost_max)
              is distinct from
               (old.sweep_id, old.position, old.chain_ref, old.token_contract, old.address_id, old.account, old.expected,
                old.authorization_nonce, old.opens_account, old.closes_account, old.cost_max) then
          raise exception 'an item of a sweep keeps its terms, and ends once'
            using errcode = 'integrity_constraint_violation';
        end if;
        if new.swept > 0 and not exists (
            select from chain_transaction
             where purpose = 'sweep' and purpose_id = new.sweep_id and status = 'succeeded'
               and mined_height = new.swept_height) then
          raise exception 'sweep % moved nothing', new.sweep_id using errcode = 'integrity_constraint_violation';
        end if;
        if new.burned > 0 and not exists (
            select from chain_transaction
             where purpose = 'sweep' and purpose_id = new.sweep_id and status in ('succeeded', 'reverted')
               and mined_height = new.burned_height and fee_paid = new.burned) then
          raise exception 'sweep % burned nothing', new.sweep_id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }
}
