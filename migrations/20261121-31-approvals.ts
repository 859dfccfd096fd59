import { Migration } from '@mikro-orm/migrations';

/** Withdrawals that wait for an operator's approval, since they are large, or since their destination is new. */
export class ApprovalsMigration extends Migration {
  override name = '20261121-31-approvals';

  override up(): void {
    this.addSql(`
      alter table withdrawal_policy
        add column new_destination_hours int check (new_destination_hours between 1 and 8760)`);
    // When the rules let it go that had held it back: what it waits for from then on is nobody's wish.
    this.addSql(`alter table withdrawal add column released_at timestamptz(3)`);
    // When a destination was first named, and which others look like it.
    this.addSql(`
      create index withdrawal_destination on withdrawal (merchant_id, environment, destination_key, created_at)`);
    this.addSql(`
      create table approval_threshold (
        pocket_id text primary key references pocket,
        amount numeric(78,0) not null check (amount >= 0),
        updated_at timestamptz(3) not null default now()
      )`);
    this.createApprovals();
  }

  /** The terms stand in the approval once more, so that it approves nothing else, whatever becomes of the withdrawal's row. */
  private createApprovals(): void {
    this.addSql(`
      create table withdrawal_approval (
        withdrawal_id text primary key references withdrawal,
        chain_ref text not null,
        token_contract text not null,
        amount numeric(78,0) not null,
        destination_key text not null,
        approved_by text not null,
        approved_at timestamptz(3) not null default clock_timestamp()
      )`);
    this.addSql(`
      create function withdrawal_approval_guard() returns trigger language plpgsql as $$
      begin
        if not exists (
            select from withdrawal
             where id = new.withdrawal_id and status = 'broadcasting' and signed_at is null
               and (chain_ref, token_contract, amount, destination_key)
                 = (new.chain_ref, new.token_contract, new.amount, new.destination_key)) then
          raise exception 'withdrawal % waits for no such approval', new.withdrawal_id
            using errcode = 'integrity_constraint_violation';
        end if;
        if not exists (
            select from audit_entry where action = 'withdrawal.approve' and subject = new.withdrawal_id) then
          raise exception 'nobody decided that withdrawal % is approved', new.withdrawal_id
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger withdrawal_approval_guard before insert on withdrawal_approval
        for each row execute function withdrawal_approval_guard()`);
    this.addSql(`
      create trigger withdrawal_approval_append_only before update or delete on withdrawal_approval
        for each row execute function ledger_is_append_only()`);
    this.addSql(`
      create trigger withdrawal_approval_no_truncate before truncate on withdrawal_approval
        for each statement execute function ledger_is_append_only()`);
  }
}
