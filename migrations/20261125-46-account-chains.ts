import { Migration } from '@mikro-orm/migrations';

/**
 * Some networks are read account by account instead of block by block: a deposit names the account that received it, and
 * may have several senders, all of which are screened.
 */
export class AccountChainsMigration extends Migration {
  override name = '20261125-46-account-chains';

  override up(): void {
    this.addSql(`
      create table watched_account (
        chain_ref text not null references chain,
        account text not null,
        address_id bigint not null references pool_address,
        token_contract text not null,
        primary key (chain_ref, account)
      )`);
    this.addSql(`create index watched_account_address on watched_account (chain_ref, address_id)`);
    // Up to which address the accounts of a token are derived.
    this.addSql(`create index watched_account_token on watched_account (chain_ref, token_contract, address_id desc)`);
    this.addSql(`
      create table unexplained_balance (
        chain_ref text not null,
        account text not null,
        units numeric(78,0) not null check (units > 0),
        since timestamptz(3) not null default now(),
        primary key (chain_ref, account),
        foreign key (chain_ref, account) references watched_account
      )`);
    // Checked in a migration of its own, which locks out no writer. An account's deposit always has a transaction. Its position is that of the account, and its sender may be unknown.
    this.addSql(`
      alter table deposit
        add column account text,
        add column other_senders text[],
        drop constraint deposit_position_check,
        add constraint deposit_position_check
          check (case when account is null and token_contract = 'native' then position = -1 else position >= 0 end) not valid,
        drop constraint deposit_origin_check,
        add constraint deposit_origin_check
          check (case when account is not null then tx_hash is not null
                      else (tx_hash is null) = (from_address is null)
                           and (tx_hash is not null or token_contract = 'native') end) not valid`);
    this.screenAllSenders();
  }

  /** Runs before `deposit_guard`, which screens the first sender. */
  private screenAllSenders(): void {
    this.addSql(`
      create function deposit_all_senders() returns trigger language plpgsql as $$
      begin
        select min(listed_sender_of(new.chain_ref, sender)) into new.listed_sender_id
          from unnest(array_prepend(new.from_address, new.other_senders)) sender;
        return new;
      end $$`);
    this.addSql(`
      create trigger deposit_all_senders before update of status on deposit for each row
        when (old.status <> 'confirmed' and new.status = 'confirmed' and new.other_senders is not null
              and new.listed_sender_id is null)
        execute function deposit_all_senders()`);
  }
}
