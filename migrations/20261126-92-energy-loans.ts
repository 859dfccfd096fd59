import { Migration } from '@mikro-orm/migrations';

/**
 * Where the hot wallet has staked coins, it lends the energy of its stake to an address for one sweep, and takes it back
 * afterwards. Both are transactions of their own, and neither moves coins.
 */
export class EnergyLoansMigration extends Migration {
  override name = '20261126-92-energy-loans';

  override up(): void {
    // Checked in a migration of its own, which locks out no writer.
    this.addSql(`
      alter table chain_transaction
        drop constraint chain_transaction_purpose_check,
        add constraint chain_transaction_purpose_check
          check (purpose in ('withdrawal', 'sweep', 'contract', 'deposit_return', 'loss', 'funding', 'energy_loan',
                             'energy_return')) not valid`);
    this.createLoans();
    this.guardLoans();
    this.createReturns();
    this.guardReturns();
    this.guardSweeps();
  }

  /** What is lent is the stake; `lent` says whether it was, by a final block. A loan that was adopted has no sweep. */
  private createLoans(): void {
    this.addSql(`
      create table energy_loan (
        id text primary key,
        sweep_id text unique references sweep,
        chain_ref text not null references hot_wallet,
        address_id bigint not null references pool_address,
        stake numeric(78,0) not null check (stake > 0),
        waiting_reason text,
        created_at timestamptz(3) not null default now(),
        signed_at timestamptz(3),
        finished_at timestamptz(3),
        lent numeric(78,0) check (lent in (0, stake)),
        lent_height bigint,
        check ((finished_at is null) = (lent is null)),
        check ((lent_height is not null) = (lent is not null and lent > 0))
      )`);
    this.addSql(`
      create index energy_loan_to_sign on energy_loan (created_at, id) where finished_at is null and signed_at is null`);
    // What the newest stake that was read does not know yet, and all that was ever lent.
    this.addSql(`create index energy_loan_open on energy_loan (chain_ref) where finished_at is null`);
    this.addSql(`create index energy_loan_lent on energy_loan (chain_ref, lent_height) where lent > 0`);
    this.addSql(`create index energy_loan_address on energy_loan (address_id, chain_ref, created_at)`);
    this.addSql(`
      create trigger energy_loan_no_truncate before truncate on energy_loan
        for each statement execute function ledger_is_append_only()`);
  }

  private guardLoans(): void {
    this.addSql(`
      create function energy_loan_insert_guard() returns trigger language plpgsql as $$
      begin
        if new.finished_at is not null or (new.sweep_id is not null and not exists (
            select from sweep_item
             where sweep_id = new.sweep_id and chain_ref = new.chain_ref and address_id = new.address_id
               and swept is null and cost_max is not null)) then
          raise exception 'energy is lent for the sweep of its address' using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger energy_loan_insert_guard before insert on energy_loan
        for each row execute function energy_loan_insert_guard()`);
    this.addSql(`
      create function energy_loan_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.finished_at is not null
            or (new.id, new.sweep_id, new.chain_ref, new.address_id, new.stake, new.created_at)
              is distinct from (old.id, old.sweep_id, old.chain_ref, old.address_id, old.stake, old.created_at)
            or (old.signed_at is not null and new.signed_at is distinct from old.signed_at) then
          raise exception 'a loan keeps its terms, and ends once' using errcode = 'integrity_constraint_violation';
        end if;
        if new.finished_at is not null and exists (
            select from chain_transaction where purpose = 'energy_loan' and purpose_id = new.id and status = 'signed') then
          raise exception 'loan % may still be mined', new.id using errcode = 'integrity_constraint_violation';
        end if;
        if new.lent is not null and (new.lent > 0) <> exists (
            select from chain_transaction
             where purpose = 'energy_loan' and purpose_id = new.id and status = 'succeeded'
               and (new.lent = 0 or mined_height = new.lent_height)) then
          raise exception 'loan % did not lend this', new.id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger energy_loan_guard before update or delete on energy_loan
        for each row execute function energy_loan_guard()`);
  }

  private createReturns(): void {
    this.addSql(`
      create table energy_return (
        id text primary key,
        loan_id text not null references energy_loan,
        chain_ref text not null references hot_wallet,
        address_id bigint not null references pool_address,
        stake numeric(78,0) not null check (stake > 0),
        waiting_reason text,
        created_at timestamptz(3) not null default now(),
        signed_at timestamptz(3),
        finished_at timestamptz(3),
        returned numeric(78,0) check (returned in (0, stake)),
        returned_height bigint,
        check ((finished_at is null) = (returned is null)),
        check ((returned_height is not null) = (returned is not null and returned > 0))
      )`);
    // One that failed is followed by another.
    this.addSql(
      `create unique index energy_return_of_loan on energy_return (loan_id) where returned is distinct from 0`,
    );
    this.addSql(`
      create index energy_return_to_sign on energy_return (created_at, id)
        where finished_at is null and signed_at is null`);
    this.addSql(`create index energy_return_done on energy_return (chain_ref) where returned > 0`);
    this.addSql(`
      create trigger energy_return_no_truncate before truncate on energy_return
        for each statement execute function ledger_is_append_only()`);
  }

  private guardReturns(): void {
    this.addSql(`
      create function energy_return_insert_guard() returns trigger language plpgsql as $$
      begin
        if new.finished_at is not null or not exists (
            select from energy_loan loan
             where loan.id = new.loan_id and loan.chain_ref = new.chain_ref and loan.address_id = new.address_id
               and loan.lent = new.stake
               and not exists (select from sweep where sweep.id = loan.sweep_id and sweep.finished_at is null)) then
          raise exception 'energy comes back as it was lent, after its sweep'
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger energy_return_insert_guard before insert on energy_return
        for each row execute function energy_return_insert_guard()`);
    this.addSql(`
      create function energy_return_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.finished_at is not null
            or (new.id, new.loan_id, new.chain_ref, new.address_id, new.stake, new.created_at)
              is distinct from (old.id, old.loan_id, old.chain_ref, old.address_id, old.stake, old.created_at)
            or (old.signed_at is not null and new.signed_at is distinct from old.signed_at
                and not (new.signed_at is null and all_superseded('energy_return', new.id))) then
          raise exception 'a return keeps its terms, and ends once' using errcode = 'integrity_constraint_violation';
        end if;
        if new.finished_at is not null and exists (
            select from chain_transaction where purpose = 'energy_return' and purpose_id = new.id and status = 'signed') then
          raise exception 'return % may still be mined', new.id using errcode = 'integrity_constraint_violation';
        end if;
        if new.returned is not null and (new.returned > 0) <> exists (
            select from chain_transaction
             where purpose = 'energy_return' and purpose_id = new.id and status = 'succeeded'
               and (new.returned = 0 or mined_height = new.returned_height)) then
          raise exception 'return % did not bring this back', new.id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger energy_return_guard before update or delete on energy_return
        for each row execute function energy_return_guard()`);
  }

  /** As before, and a sweep is neither signed nor ended before its loan has ended. */
  private guardSweeps(): void {
    this.addSql(`
      create or replace function sweep_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.finished_at is not null
            or (new.id, new.chain_ref, new.reason, new.delegate, new.batch, new.created_at)
              is distinct from (old.id, old.chain_ref, old.reason, old.delegate, old.batch, old.created_at)
            or (old.signed_at is not null and new.signed_at is distinct from old.signed_at) then
          raise exception 'a sweep keeps its terms, and ends once' using errcode = 'integrity_constraint_violation';
        end if;
        if new.finished_at is not null and exists (
            select from chain_transaction where purpose = 'sweep' and purpose_id = new.id and status = 'signed') then
          raise exception 'sweep % may still be mined', new.id using errcode = 'integrity_constraint_violation';
        end if;
        if (new.finished_at is not null or (new.signed_at is not null and old.signed_at is null))
            and (exists (select from funding where sweep_id = new.id and finished_at is null)
                 or exists (select from energy_loan where sweep_id = new.id and finished_at is null)) then
          raise exception 'the funding or the loan of sweep % has not ended', new.id
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }
}
