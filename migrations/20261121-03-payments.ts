import { Migration } from '@mikro-orm/migrations';

/** Price rounds, payment intents, what was seen on chain for them, and the set of intents to look at again. */
export class PaymentsMigration extends Migration {
  override name = '20261121-03-payments';

  override up(): void {
    this.addSql(`
      create table price_round (
        id text primary key,
        environment text not null check (environment in ('sandbox', 'live')),
        prices jsonb not null,
        created_at timestamptz(3) not null default now()
      )`);
    this.addSql(`create index price_round_newest on price_round (environment, created_at desc)`);
    this.createIntent();
    this.guardIntent();
    this.createDeposit();
    this.addSql(`
      create table dirty_intent (
        intent_id text primary key references payment_intent,
        marked_at timestamptz(3) not null default now(),
        failures int not null default 0,
        last_error text,
        quarantined_at timestamptz(3)
      )`);
    this.addSql(`
      create table sandbox_payment (
        id text primary key,
        intent_id text not null references payment_intent,
        chain_ref text not null references chain,
        token_contract text not null,
        to_address text not null,
        amount numeric(78,0) not null check (amount > 0),
        status text not null check (status in ('queued', 'signed', 'sent', 'failed')),
        sender text,
        nonce bigint,
        raw_transaction text,
        tx_hash text,
        failure text,
        created_at timestamptz(3) not null default now(),
        unique (chain_ref, sender, nonce)
      )`);
    this.addSql(
      `create index sandbox_payment_open on sandbox_payment (created_at) where status in ('queued', 'signed')`,
    );
  }

  private createIntent(): void {
    this.addSql(`
      create table payment_intent (
        id text primary key,
        merchant_id text not null references merchant,
        environment text not null check (environment in ('sandbox', 'live')),
        status text not null check (status in
          ('created', 'requires_action', 'processing', 'completed', 'failed', 'cancelled', 'expired')),
        failure_code text check (failure_code in ('underpaid')),
        amount_cents bigint not null check (amount_cents between 1 and 1000000000000),
        currency text not null,
        settlement_currency text not null,
        network text not null,
        token text not null,
        reference text,
        metadata jsonb not null default '{}',
        tolerance_bps int not null default 0 check (tolerance_bps between 0 and 1000),
        chain_ref text references chain,
        token_contract text,
        token_decimals int,
        price_round_id text references price_round,
        token_price text,
        token_price_cents bigint,
        crypto_amount numeric(78,0) check (crypto_amount > 0),
        address text unique,
        received_crypto_amount numeric(78,0) not null default 0 check (received_crypto_amount >= 0),
        received_amount_cents bigint not null default 0 check (received_amount_cents between 0 and amount_cents),
        overpaid_amount_cents bigint not null default 0 check (overpaid_amount_cents >= 0),
        accepted_shortfall_cents bigint not null default 0 check (accepted_shortfall_cents >= 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        completed_at timestamptz(3),
        due_at timestamptz(3) not null,
        check (num_nulls(chain_ref, token_contract, token_decimals, price_round_id, token_price, token_price_cents,
          crypto_amount, address) in (0, 8)),
        check ((completed_at is not null) = (status = 'completed')),
        check ((failure_code is not null) = (status = 'failed'))
      )`);
    const list = '(merchant_id, environment, %, created_at desc, id desc)';
    for (const [name, columns] of [
      ['newest', ''],
      ['status', 'status, '],
      ['network', 'network, '],
      ['network_status', 'network, status, '],
    ] as const) {
      this.addSql(`create index payment_intent_${name} on payment_intent ${list.replace('%, ', columns)}`);
    }
    this.addSql(`
      create index payment_intent_due on payment_intent (due_at) where status in ('created', 'requires_action', 'processing')`);
    this.addSql(`
      create index payment_intent_open on payment_intent (merchant_id, environment)
        where status in ('created', 'requires_action', 'processing') and address is not null`);
    // Pruning rounds asks for the intents that refer to them.
    this.addSql(`
      create index payment_intent_price_round on payment_intent (price_round_id) where price_round_id is not null`);
    this.addSql(`
      alter table pool_address add constraint pool_address_intent_id_foreign
        foreign key (intent_id) references payment_intent`);
  }

  /** The rules that no code path may break: terminal is terminal (spec 3.1), a quote is locked (spec 2.1 rule 1). */
  private guardIntent(): void {
    this.addSql(`
      create function payment_intent_guard() returns trigger language plpgsql as $$
      begin
        if old.status in ('completed', 'failed', 'cancelled', 'expired') then
          raise exception 'payment intent % is %, which is terminal', old.id, old.status
            using errcode = 'integrity_constraint_violation';
        end if;
        if tg_op = 'DELETE' then
          return old;
        end if;
        if new.status <> old.status and (old.status, new.status) not in (
          ('created', 'requires_action'), ('created', 'cancelled'), ('created', 'expired'),
          ('requires_action', 'processing'), ('requires_action', 'cancelled'), ('requires_action', 'expired'),
          ('processing', 'completed'), ('processing', 'failed'), ('processing', 'expired')
        ) then
          raise exception 'payment intent % cannot go from % to %', old.id, old.status, new.status
            using errcode = 'integrity_constraint_violation';
        end if;
        if old.address is not null
            and (new.address, new.crypto_amount, new.token_price, new.token_price_cents, new.price_round_id,
                 new.token_contract, new.token_decimals, new.chain_ref)
              is distinct from
                (old.address, old.crypto_amount, old.token_price, old.token_price_cents, old.price_round_id,
                 old.token_contract, old.token_decimals, old.chain_ref) then
          raise exception 'the quote of payment intent % is locked', old.id
            using errcode = 'integrity_constraint_violation';
        end if;
        if (new.id, new.merchant_id, new.environment, new.amount_cents, new.currency, new.settlement_currency,
            new.network, new.token, new.tolerance_bps, new.created_at)
          is distinct from
           (old.id, old.merchant_id, old.environment, old.amount_cents, old.currency, old.settlement_currency,
            old.network, old.token, old.tolerance_bps, old.created_at) then
          raise exception 'what payment intent % was created with is immutable', old.id
            using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger payment_intent_guard before update or delete on payment_intent
        for each row execute function payment_intent_guard()`);
  }

  private createDeposit(): void {
    this.addSql(`
      create table deposit (
        id text primary key,
        chain_ref text not null references chain,
        token_contract text not null,
        tx_hash text not null,
        position int not null check (position >= 0),
        from_address text not null,
        to_address text not null,
        amount numeric(78,0) not null check (amount > 0),
        block_height bigint not null,
        block_hash text not null,
        block_time timestamptz(3) not null,
        seen_at timestamptz(3) not null default now(),
        status text not null check (status in ('seen', 'confirmed', 'orphaned')),
        confirmed_at timestamptz(3),
        address_id bigint not null references pool_address,
        intent_id text references payment_intent,
        merchant_id text references merchant,
        unattributed_reason text check (unattributed_reason in ('other_network', 'other_token', 'address_not_assigned')),
        late boolean,
        credited_at timestamptz(3),
        unique (chain_ref, tx_hash, position),
        check ((intent_id is null) = (unattributed_reason is not null)),
        check ((intent_id is null) = (merchant_id is null)),
        check ((status = 'confirmed') = (confirmed_at is not null)),
        check (credited_at is null or (status = 'confirmed' and intent_id is not null))
      )`);
    this.addSql(`create index deposit_intent on deposit (intent_id) where intent_id is not null`);
    this.addSql(`create index deposit_seen on deposit (chain_ref, block_height) where status = 'seen'`);
    this.addSql(`create index deposit_pending on deposit (merchant_id) where status = 'seen'`);
    this.addSql(`create index deposit_address on deposit (address_id)`);
    this.addSql(`
      create function deposit_guard() returns trigger language plpgsql as $$
      begin
        if old.status = 'confirmed' and (tg_op = 'DELETE' or new.status <> 'confirmed') then
          raise exception 'deposit % is final', old.id using errcode = 'integrity_constraint_violation';
        end if;
        if tg_op = 'DELETE' then
          return old;
        end if;
        if old.credited_at is not null and new.credited_at is distinct from old.credited_at then
          raise exception 'deposit % is credited already', old.id using errcode = 'integrity_constraint_violation';
        end if;
        if (new.chain_ref, new.tx_hash, new.position, new.seen_at)
            is distinct from (old.chain_ref, old.tx_hash, old.position, old.seen_at) then
          raise exception 'the identity of deposit % is immutable', old.id using errcode = 'integrity_constraint_violation';
        end if;
        if old.status = 'confirmed' and (new.token_contract, new.amount, new.address_id, new.intent_id, new.merchant_id)
            is distinct from (old.token_contract, old.amount, old.address_id, old.intent_id, old.merchant_id) then
          raise exception 'what deposit % moved is final', old.id using errcode = 'integrity_constraint_violation';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger deposit_guard before update or delete on deposit
        for each row execute function deposit_guard()`);
  }
}
