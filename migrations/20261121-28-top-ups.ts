import { Migration } from '@mikro-orm/migrations';

const POCKET_ACCOUNTS = `('pocket_available', 'pocket_held')`;
const HOLDING_ACCOUNTS = `('suspense', 'frozen')`;
const OTHER_ACCOUNTS = `('chain', 'fee_income', 'network_fees', 'receivable', 'capital')`;

/**
 * What operators put into hot wallets, found by comparing what the chain says of each with what the books say. Nothing is
 * booked here: where there were hot wallets before, the first comparison books all that the books do not explain as the
 * wallet's first top-up, from before the first block.
 */
export class TopUpsMigration extends Migration {
  override name = '20261121-28-top-ups';

  override up(): void {
    this.createTopUps();
    this.createStocktakings();
    // Last, since it keeps everybody out of the table until this migration is over.
    this.addSql(`
      alter table account
        drop constraint account_kind_check,
        add constraint account_kind_check
          check (kind in ${POCKET_ACCOUNTS} or kind in ${HOLDING_ACCOUNTS} or kind in ${OTHER_ACCOUNTS})`);
  }

  /** The same coins are found once: no two top-ups of a wallet begin or end at one block. */
  private createTopUps(): void {
    this.addSql(`
      create table top_up (
        id text primary key,
        chain_ref text not null references hot_wallet,
        token_contract text not null,
        amount numeric(78,0) not null check (amount > 0),
        from_height bigint not null check (from_height >= -1),
        to_height bigint not null check (to_height > from_height),
        found_at timestamptz(3) not null default now(),
        unique (chain_ref, token_contract, from_height),
        unique (chain_ref, token_contract, to_height)
      )`);
    this.addSql(`
      create trigger top_up_append_only before update or delete on top_up
        for each row execute function ledger_is_append_only()`);
    this.refuseTruncate('top_up');
  }

  /** What was booked before a block is never counted again, so that a comparison costs what happened since the last one. */
  private createStocktakings(): void {
    this.addSql(`
      create table stocktaking (
        chain_ref text not null references hot_wallet,
        token_contract text not null,
        height bigint not null,
        block_hash text not null,
        nonce bigint not null check (nonce >= 0),
        amount numeric(78,0) not null check (amount >= 0),
        taken_at timestamptz(3) not null default now(),
        booked numeric(78,0) check (booked >= 0),
        booked_height bigint check (booked_height <= height),
        booked_nonce bigint check (booked_nonce <= nonce),
        missing numeric(78,0) not null default 0 check (missing >= 0),
        primary key (chain_ref, token_contract),
        check ((booked is null) = (booked_height is null) and (booked is null) = (booked_nonce is null)),
        check (missing <= coalesce(booked, 0))
      )`);
    this.addSql(`
      create function stocktaking_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or new.height < old.height or coalesce(new.booked_height, -1) < coalesce(old.booked_height, -1)
            or (new.chain_ref, new.token_contract) is distinct from (old.chain_ref, old.token_contract) then
          raise exception 'a hot wallet is compared block by block, and never again'
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger stocktaking_guard before update or delete on stocktaking
        for each row execute function stocktaking_guard()`);
    this.refuseTruncate('stocktaking');
  }

  private refuseTruncate(table: string): void {
    this.addSql(`
      create trigger ${table}_no_truncate before truncate on ${table}
        for each statement execute function ledger_is_append_only()`);
  }
}
