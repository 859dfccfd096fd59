import { Migration } from '@mikro-orm/migrations';

/** Payments are tried out on the chain before they are signed, and one that its destination refuses is not signed. */
export class PaymentSimulationsMigration extends Migration {
  override name = '20261122-40-payment-simulations';

  override up(): void {
    // The terms stand in the row once more, so that it speaks for no other payment, whatever becomes of the order's row.
    this.addSql(`
      create table payment_simulation (
        id bigint generated always as identity primary key,
        purpose text not null check (purpose in ('withdrawal', 'deposit_return')),
        purpose_id text not null,
        chain_ref text not null references chain,
        sender text not null,
        token_contract text not null,
        amount numeric(78,0) not null check (amount > 0),
        destination_key text not null,
        gas_limit bigint not null check (gas_limit > 0),
        destination_has_code boolean check (destination_has_code is not null or token_contract <> 'native'),
        outcome text not null check (outcome in ('accepts', 'rejects', 'needs_gas', 'unconfirmed')),
        nodes int not null check (nodes > 0),
        block_height bigint not null check (block_height >= 0),
        block_hash text not null,
        simulated_at timestamptz(3) not null
      )`);
    this.addSql(
      `create index payment_simulation_newest on payment_simulation (purpose, purpose_id, simulated_at desc, id desc)`,
    );
    this.addSql(`
      create trigger payment_simulation_append_only before update or delete on payment_simulation
        for each row execute function ledger_is_append_only()`);
    this.addSql(`
      create trigger payment_simulation_no_truncate before truncate on payment_simulation
        for each statement execute function ledger_is_append_only()`);
    this.addSql(`
      create index withdrawal_to_simulate on withdrawal (chain_ref, created_at, id)
        where status = 'broadcasting' and signed_at is null and coalesce(waiting_reason, 'not_simulated') = 'not_simulated'`);
    // Whom a reverted payment was for: the call itself says it, of a token in the first argument of `transfer`.
    this.addSql(`
      create index chain_transaction_reverted on chain_transaction
        (chain_ref, token_contract, (case when token_contract = 'native' then destination else '0x' || substr(data, 35, 40) end), finished_at)
        where status = 'reverted' and purpose in ('withdrawal', 'deposit_return')`);
    // Whether a contract is known to take coins, or is being paid some now.
    this.addSql(`
      create index chain_transaction_coins_paid on chain_transaction (chain_ref, destination, status)
        where token_contract = 'native' and purpose in ('withdrawal', 'deposit_return') and status in ('signed', 'succeeded')`);
  }
}
