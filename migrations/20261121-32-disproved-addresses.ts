import { Migration } from '@mikro-orm/migrations';

/** Stored addresses that are not what the vault derives at their place: found by deriving them again, never handed out. */
export class DisprovedAddressesMigration extends Migration {
  override name = '20261121-32-disproved-addresses';

  override up(): void {
    // A table of its own: it is empty as a rule, so that nothing has to be built over the addresses.
    this.addSql(`
      create table disproved_address (
        address_id bigint primary key references pool_address,
        derivation_index int not null,
        derivation_path text not null,
        address text not null,
        address_key text not null,
        derived_address text,
        found_at timestamptz(3) not null default now()
      )`);
    this.addSql(`
      create trigger disproved_address_append_only before update or delete on disproved_address
        for each row execute function ledger_is_append_only()`);
    this.addSql(`
      create trigger disproved_address_no_truncate before truncate on disproved_address
        for each statement execute function ledger_is_append_only()`);
    this.guardAddresses();
    // Not validated, since that reads the whole table under this lock. What is stored already, the vault derives again.
    // A retired one may be anything: it is not handed out, and the listener has to retire what is paid to.
    this.addSql(`
      alter table pool_address add constraint pool_address_spelling_check
        check (family <> 'evm' or retired_at is not null or address_key = lower(address collate "C")) not valid`);
  }

  /** As before, and: the path is as immutable as the index, and a retired address is neither free again nor handed out. */
  private guardAddresses(): void {
    this.addSql(`
      create or replace function pool_address_guard() returns trigger language plpgsql as $$
      begin
        if old.intent_id is not null and (tg_op = 'DELETE' or new.intent_id is distinct from old.intent_id) then
          raise exception 'an assigned address never changes hands' using errcode = 'integrity_constraint_violation';
        end if;
        if tg_op = 'DELETE' then
          return old;
        end if;
        if (new.environment, new.family, new.derivation_index, new.derivation_path, new.address, new.address_key)
            is distinct from
              (old.environment, old.family, old.derivation_index, old.derivation_path, old.address, old.address_key) then
          raise exception 'a pool address is immutable' using errcode = 'integrity_constraint_violation';
        end if;
        if old.retired_at is not null
            and (new.retired_at is null or new.intent_id is distinct from old.intent_id) then
          raise exception 'a retired address stays retired' using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
  }
}
