/**
 * The rights of the service's role on each table besides reading. A table that is not listed here is append-only. Only the
 * owner may truncate, alter or drop tables. A right is removed one version after the last code that needed it, because
 * during a rolling update both versions run.
 */
export const SERVICE_RIGHTS: Readonly<Record<string, readonly string[]>> = {
  // The trigger of a posting updates the balance, with the rights of the role that inserts it.
  account: ['insert', 'update (balance)'],
  allowed_destination: ['insert', 'delete'],
  api_key: ['insert', 'update'],
  approval_threshold: ['insert', 'update', 'delete'],
  // A trigger allows the deletion of old audits without findings only.
  books_audit: ['insert', 'delete'],
  chain: ['insert', 'update'],
  chain_block: ['insert', 'update', 'delete'],
  chain_cursor: ['insert', 'update'],
  chain_token: ['insert', 'update'],
  chain_transaction: ['insert', 'update'],
  delegation: ['insert', 'update'],
  delivery: ['insert', 'update'],
  deposit: ['insert', 'update'],
  deposit_balance: ['insert', 'update'],
  deposit_return: ['insert', 'update'],
  dirty_intent: ['insert', 'update', 'delete'],
  event: ['insert', 'update'],
  event_counter: ['insert', 'update'],
  fee_round: ['insert', 'delete'],
  hot_balance: ['insert', 'update'],
  hot_wallet: ['insert', 'update'],
  idempotency_record: ['insert', 'update', 'delete'],
  lease: ['insert', 'update'],
  merchant: ['insert', 'update'],
  payment_intent: ['insert', 'update'],
  // A pocket never changes, but locking its row needs the right to update a column: one that does not affect money.
  pocket: ['insert', 'update (created_at)'],
  pocket_limit: ['insert', 'update', 'delete'],
  pool_address: ['insert', 'update'],
  price_round: ['insert', 'delete'],
  rate_bucket: ['insert', 'update'],
  sanctioned_address: ['insert', 'update'],
  sandbox_payment: ['insert', 'update'],
  schema_migration: [],
  stocktaking: ['insert', 'update'],
  sweep: ['insert', 'update'],
  sweep_contract: ['insert', 'update'],
  sweep_item: ['insert', 'update'],
  unexplained_balance: ['insert', 'update', 'delete'],
  unsealed_entry: ['insert', 'delete'],
  vault_presence: ['insert', 'update'],
  webhook_endpoint: ['insert', 'update'],
  webhook_recovery: ['insert', 'update'],
  withdrawal: ['insert', 'update'],
  withdrawal_policy: ['insert', 'update'],
};
