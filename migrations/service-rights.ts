/**
 * What the service's role may do with rows of each table beside reading them. A table that is not named here may only be
 * added to, so that a new one is append-only until somebody says otherwise. Nobody but the owner truncates, alters or
 * drops anything. A right is taken away one version after the last code that needed it: while an update rolls, both run.
 */
export const SERVICE_RIGHTS: Readonly<Record<string, readonly string[]>> = {
  // By the trigger of a posting, which has the rights of whoever inserts it.
  account: ['insert', 'update (balance)'],
  allowed_destination: ['insert', 'delete'],
  api_key: ['insert', 'update'],
  approval_threshold: ['insert', 'update', 'delete'],
  // A guard keeps all but old audits that found nothing.
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
  // Nothing of a pocket changes. To lock its row takes the right to update a column: one by which no money is found.
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
  unsealed_entry: ['insert', 'delete'],
  vault_presence: ['insert', 'update'],
  webhook_endpoint: ['insert', 'update'],
  webhook_recovery: ['insert', 'update'],
  withdrawal: ['insert', 'update'],
  withdrawal_policy: ['insert', 'update'],
};
