import { Migration } from '@mikro-orm/migrations';

const OWN_ACCOUNTS = `('chain', 'fee_income', 'network_fees')`;
const POCKET_ACCOUNTS = `('pocket_available', 'pocket_held')`;

/** Money out: hot wallets, their outgoing transactions with every signed attempt, and what these are for. */
export class WithdrawalsMigration extends Migration {
  override name = '20261121-15-withdrawals';

  override up(): void {
    this.addOwnAccounts();
    this.createHotWallets();
    this.createTransactions();
    this.createWithdrawals();
    this.createPolicies();
    this.createVaultAudit();
  }

  /** What is neither a merchant's nor the outside's: fees earned, network fees paid. */
  private addOwnAccounts(): void {
    this.addSql(`alter table account drop constraint account_kind_check`);
    this.addSql(`alter table account drop constraint account_check`);
    this.addSql(`alter table account drop constraint account_check1`);
    this.addSql(`
      alter table account
        add constraint account_kind_check check (kind in ${OWN_ACCOUNTS} or kind in ${POCKET_ACCOUNTS}),
        add constraint account_check check ((merchant_id is not null) = (kind in ${POCKET_ACCOUNTS})),
        add constraint account_check1 check ((balance is not null) = (kind in ${POCKET_ACCOUNTS}))`);
  }

  private createHotWallets(): void {
    this.addSql(`
      create table hot_wallet (
        chain_ref text primary key references chain,
        address text not null,
        address_key text not null,
        derivation_path text not null,
        next_nonce bigint not null default 0 check (next_nonce >= 0),
        chain_nonce bigint,
        frozen_reason text,
        created_at timestamptz(3) not null default now()
      )`);
    this.addSql(`
      create function hot_wallet_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or new.next_nonce not in (old.next_nonce, old.next_nonce + 1)
            or (new.chain_ref, new.address, new.address_key, new.derivation_path)
              is distinct from (old.chain_ref, old.address, old.address_key, old.derivation_path) then
          raise exception 'a hot wallet keeps its address, and its nonces are taken one by one'
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger hot_wallet_guard before update or delete on hot_wallet
        for each row execute function hot_wallet_guard()`);
    // What the chain says the wallet holds, as of a final block: spendable is that minus what has been promised since.
    this.addSql(`
      create table hot_balance (
        chain_ref text not null references hot_wallet,
        token_contract text not null,
        amount numeric(78,0) not null check (amount >= 0),
        height bigint not null,
        taken_at timestamptz(3) not null default now(),
        primary key (chain_ref, token_contract)
      )`);
  }

  private createTransactions(): void {
    this.addSql(`
      create table chain_transaction (
        id text primary key,
        chain_ref text not null references hot_wallet,
        purpose text not null check (purpose in ('withdrawal')),
        purpose_id text not null,
        sender text not null,
        nonce bigint not null check (nonce >= 0),
        destination text not null,
        value numeric(78,0) not null check (value >= 0),
        data text not null,
        gas_limit bigint not null check (gas_limit > 0),
        token_contract text not null,
        amount numeric(78,0) not null check (amount > 0),
        status text not null check (status in ('signed', 'succeeded', 'reverted', 'abandoned')),
        due_at timestamptz(3) not null default now(),
        broadcast_at timestamptz(3),
        replace_wanted_at timestamptz(3),
        mined_hash text,
        mined_height bigint,
        fee_paid numeric(78,0),
        created_at timestamptz(3) not null default now(),
        finished_at timestamptz(3),
        unique (chain_ref, sender, nonce),
        unique (purpose, purpose_id),
        check ((status = 'signed') = (finished_at is null)),
        check ((status in ('succeeded', 'reverted')) = (mined_hash is not null)),
        check ((mined_hash is null) = (mined_height is null) and (mined_hash is null) = (fee_paid is null))
      )`);
    this.addSql(`create index chain_transaction_open on chain_transaction (chain_ref, nonce) where status = 'signed'`);
    this.addSql(`create index chain_transaction_due on chain_transaction (due_at) where status = 'signed'`);
    this.addSql(`
      create index chain_transaction_to_replace on chain_transaction (replace_wanted_at)
        where status = 'signed' and replace_wanted_at is not null`);
    this.addSql(`create index chain_transaction_mined on chain_transaction (chain_ref, mined_height)`);
    this.addSql(`
      create table transaction_attempt (
        transaction_id text not null references chain_transaction,
        number int not null check (number >= 1),
        tx_hash text not null,
        raw_transaction text not null,
        max_fee_per_gas numeric(78,0) not null,
        max_priority_fee_per_gas numeric(78,0) not null,
        signed_at timestamptz(3) not null default now(),
        primary key (transaction_id, number),
        unique (transaction_id, tx_hash)
      )`);
    // Not unique over all chains: a development chain that is begun anew may see the very same bytes again.
    this.addSql(`create index transaction_attempt_hash on transaction_attempt (tx_hash)`);
    this.addSql(`
      create function chain_transaction_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.status <> 'signed'
            or (new.id, new.chain_ref, new.purpose, new.purpose_id, new.sender, new.nonce, new.destination, new.value,
                new.data, new.gas_limit, new.token_contract, new.amount)
              is distinct from
               (old.id, old.chain_ref, old.purpose, old.purpose_id, old.sender, old.nonce, old.destination, old.value,
                old.data, old.gas_limit, old.token_contract, old.amount) then
          raise exception 'an outgoing transaction keeps its terms, and ends once'
            using errcode = 'integrity_constraint_violation';
        end if;
        if new.mined_hash is not null and not exists (
            select from transaction_attempt attempt
             where attempt.transaction_id = new.id and attempt.tx_hash = new.mined_hash
               and new.fee_paid <= new.gas_limit * attempt.max_fee_per_gas) then
          raise exception 'transaction % was not mined as %', new.id, new.mined_hash
            using errcode = 'integrity_constraint_violation';
        end if;
        if new.status = 'abandoned' and exists (select from chain where id = new.chain_ref and active) then
          raise exception 'the chain of transaction % may still mine it', new.id
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger chain_transaction_guard before update or delete on chain_transaction
        for each row execute function chain_transaction_guard()`);
    this.addSql(`
      create trigger transaction_attempt_append_only before update or delete on transaction_attempt
        for each row execute function ledger_is_append_only()`);
    for (const table of ['hot_wallet', 'chain_transaction', 'transaction_attempt']) this.refuseTruncate(table);
  }

  private createWithdrawals(): void {
    this.addSql(`
      alter table pocket add constraint pocket_terms unique (id, merchant_id, environment, network, token_contract)`);
    this.addSql(`alter table chain add constraint chain_place unique (id, environment, network)`);
    this.addSql(`
      create table withdrawal (
        id text primary key,
        merchant_id text not null references merchant,
        environment text not null check (environment in ('sandbox', 'live')),
        pocket_id text not null,
        chain_ref text not null,
        network text not null,
        token text not null,
        token_contract text not null,
        token_decimals int not null,
        minor_unit_exponent int not null,
        amount_cents bigint not null check (amount_cents > 0),
        amount numeric(78,0) not null check (amount > 0),
        network_fee_cents bigint not null check (network_fee_cents > 0),
        fee_amount numeric(78,0) not null check (fee_amount > 0),
        destination text not null,
        destination_key text not null,
        fee_strategy text not null check (fee_strategy in ('standard', 'fast')),
        reference text,
        status text not null check (status in ('broadcasting', 'completed', 'failed')),
        waiting_reason text,
        signed_at timestamptz(3),
        tx_hash text,
        failure_code text,
        failure_message text,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        completed_at timestamptz(3),
        foreign key (pocket_id, merchant_id, environment, network, token_contract)
          references pocket (id, merchant_id, environment, network, token_contract),
        foreign key (chain_ref, environment, network) references chain (id, environment, network),
        check ((status = 'completed') = (completed_at is not null)),
        check (status <> 'completed' or tx_hash is not null),
        check ((status = 'failed') = (failure_code is not null)),
        check ((failure_code is null) = (failure_message is null))
      )`);
    // Spec 8: one withdrawal in flight per pocket, whoever asks and however often.
    this.addSql(`create unique index withdrawal_in_flight on withdrawal (pocket_id) where status = 'broadcasting'`);
    this.addSql(`
      create index withdrawal_to_sign on withdrawal (created_at, id) where status = 'broadcasting' and signed_at is null`);
    this.addSql(`create index withdrawal_newest on withdrawal (merchant_id, environment, created_at desc, id desc)`);
    this.addSql(`
      create function withdrawal_guard() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or old.status <> 'broadcasting'
            or (new.id, new.merchant_id, new.environment, new.pocket_id, new.chain_ref, new.network, new.token,
                new.token_contract, new.token_decimals, new.minor_unit_exponent, new.amount_cents, new.amount,
                new.network_fee_cents, new.fee_amount, new.destination, new.destination_key, new.fee_strategy,
                new.reference, new.created_at)
              is distinct from
               (old.id, old.merchant_id, old.environment, old.pocket_id, old.chain_ref, old.network, old.token,
                old.token_contract, old.token_decimals, old.minor_unit_exponent, old.amount_cents, old.amount,
                old.network_fee_cents, old.fee_amount, old.destination, old.destination_key, old.fee_strategy,
                old.reference, old.created_at)
            or (old.signed_at is not null and new.signed_at is distinct from old.signed_at) then
          raise exception 'a withdrawal keeps its terms, and ends once' using errcode = 'integrity_constraint_violation';
        end if;
        if new.status = 'completed' and not exists (
            select from chain_transaction
             where purpose = 'withdrawal' and purpose_id = new.id and status = 'succeeded'
               and mined_hash = new.tx_hash) then
          raise exception 'withdrawal % was not paid by %', new.id, new.tx_hash
            using errcode = 'integrity_constraint_violation';
        end if;
        if new.status = 'failed' and exists (
            select from chain_transaction
             where purpose = 'withdrawal' and purpose_id = new.id and status in ('signed', 'succeeded')) then
          raise exception 'withdrawal % may be paid already', new.id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger withdrawal_guard before update or delete on withdrawal
        for each row execute function withdrawal_guard()`);
    this.refuseTruncate('withdrawal');
  }

  /** What the vault asks before it signs. Without a row there is no limit. */
  private createPolicies(): void {
    this.addSql(`
      create table withdrawal_policy (
        merchant_id text not null references merchant,
        environment text not null check (environment in ('sandbox', 'live')),
        frozen_reason text,
        daily_count int check (daily_count >= 0),
        allow_list_only boolean not null default false,
        updated_at timestamptz(3) not null default now(),
        primary key (merchant_id, environment)
      )`);
    this.addSql(`
      create table pocket_limit (
        pocket_id text primary key references pocket,
        daily_amount numeric(78,0) not null check (daily_amount >= 0),
        updated_at timestamptz(3) not null default now()
      )`);
    this.addSql(`
      create table allowed_destination (
        merchant_id text not null references merchant,
        environment text not null check (environment in ('sandbox', 'live')),
        destination_key text not null,
        created_at timestamptz(3) not null default now(),
        primary key (merchant_id, environment, destination_key)
      )`);
    // Velocity: what was signed for a merchant or a pocket in the last day.
    this.addSql(`create index withdrawal_of_pocket on withdrawal (pocket_id, created_at)`);
  }

  /** One row per verdict of the vault: no signature exists without one. */
  private createVaultAudit(): void {
    this.addSql(`
      create table vault_audit (
        id bigint generated always as identity primary key,
        transaction_id text,
        attempt int,
        purpose text not null,
        purpose_id text not null,
        verdict text not null check (verdict in ('signed', 'refused')),
        reason text,
        tx_hash text,
        fields jsonb not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        check ((verdict = 'signed') = (tx_hash is not null)),
        check (verdict = 'refused' or (transaction_id is not null and attempt is not null)),
        check ((verdict = 'refused') = (reason is not null))
      )`);
    this.addSql(`create index vault_audit_purpose on vault_audit (purpose, purpose_id)`);
    this.addSql(`
      create trigger vault_audit_append_only before update or delete on vault_audit
        for each row execute function ledger_is_append_only()`);
    this.refuseTruncate('vault_audit');
  }

  private refuseTruncate(table: string): void {
    this.addSql(`
      create trigger ${table}_no_truncate before truncate on ${table}
        for each statement execute function ledger_is_append_only()`);
  }
}
