import type { Database } from '../../src/platform/database/database.js';

/** One signed version of a payment. */
export interface Attempt {
  readonly txHash: string;
  readonly raw: string;
  /** Wei per gas. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** A withdrawal's outgoing transaction, by our rows. */
export interface Payout {
  readonly id: string;
  readonly nonce: number;
  readonly status: string;
  readonly minedHash: string | null;
  /** Wei; null until it is final. */
  readonly feePaid: bigint | null;
  /** In the order in which they were signed. */
  readonly attempts: readonly Attempt[];
}

/** What the vault signed for a withdrawal; null while it has signed nothing. */
export async function payoutOf(database: Database, withdrawalId: string): Promise<Payout | null> {
  const rows = await database.query<Record<string, string | null>>(
    `select transaction.id, nonce, status, mined_hash, fee_paid, tx_hash, raw_transaction, max_fee_per_gas,
            max_priority_fee_per_gas
       from chain_transaction transaction join transaction_attempt on transaction_id = transaction.id
      where purpose = 'withdrawal' and purpose_id = $1 order by number`,
    [withdrawalId],
  );
  const [first] = rows;
  if (first === undefined) return null;
  const feePaid = first['fee_paid'] ?? null;
  return {
    id: first['id'] ?? '',
    nonce: Number(first['nonce']),
    status: first['status'] ?? '',
    minedHash: first['mined_hash'] ?? null,
    feePaid: feePaid === null ? null : BigInt(feePaid),
    attempts: rows.map((row) => ({
      txHash: row['tx_hash'] ?? '',
      raw: row['raw_transaction'] ?? '',
      maxFeePerGas: BigInt(row['max_fee_per_gas'] ?? 0),
      maxPriorityFeePerGas: BigInt(row['max_priority_fee_per_gas'] ?? 0),
    })),
  };
}

/** Types of a withdrawal's events, oldest first. */
export async function withdrawalEvents(database: Database, id: string): Promise<string[]> {
  const rows = await database.query<{ type: string }>(
    `select type from event where resource_id = $1 order by position`,
    [id],
  );
  return rows.map(({ type }) => type);
}

/** Rows that break a rule of money out (reliability: invariants W and L); all of these queries must find none. */
const VIOLATIONS: Readonly<Record<string, string>> = {
  'W1 W3 W7: completed withdrawals without the one final transaction that pays them as ordered': `
    select withdrawal.id from withdrawal
      left join chain_transaction transaction on purpose = 'withdrawal' and purpose_id = withdrawal.id
     where withdrawal.status = 'completed'
       and (transaction.status is distinct from 'succeeded' or transaction.mined_hash <> withdrawal.tx_hash
            or transaction.amount <> withdrawal.amount or transaction.token_contract <> withdrawal.token_contract
            or transaction.chain_ref <> withdrawal.chain_ref)`,
  'W2: outgoing transactions that serve no withdrawal, no sweep and no contract': `
    select transaction.id from chain_transaction transaction
      left join withdrawal on purpose = 'withdrawal' and withdrawal.id = transaction.purpose_id
      left join sweep on purpose = 'sweep' and sweep.id = transaction.purpose_id
      left join sweep_contract contract on purpose = 'contract' and contract.id = transaction.purpose_id
     where num_nonnulls(withdrawal.id, sweep.id, contract.id) <> 1`,
  'balances that are not what final deposits brought and sweeps took': `
    select balance.* from deposit_balance balance
     where balance.received is distinct from (
             select sum(amount) from deposit where status = 'confirmed' and deposit.chain_ref = balance.chain_ref
                and deposit.token_contract = balance.token_contract and deposit.address_id = balance.address_id)
        or balance.swept is distinct from (
             select coalesce(sum(item.swept), 0) from sweep_item item where item.chain_ref = balance.chain_ref
                and item.token_contract = balance.token_contract and item.address_id = balance.address_id)
        or (balance.sweep_id is not null) <> exists (
             select from sweep_item item where item.chain_ref = balance.chain_ref and item.swept is null
                and item.token_contract = balance.token_contract and item.address_id = balance.address_id)`,
  'sweeps that ended while their transaction may be mined, and the other way round': `
    select sweep.id from sweep left join chain_transaction on purpose = 'sweep' and purpose_id = sweep.id
     where (sweep.finished_at is null) <> (chain_transaction.status = 'signed')`,
  'W4: wallets whose nonces have a gap': `
    select wallet.chain_ref from hot_wallet wallet
      left join chain_transaction transaction using (chain_ref)
     group by wallet.chain_ref having count(nonce) <> wallet.next_nonce or coalesce(max(nonce) + 1, 0) <> wallet.next_nonce`,
  'W6: pockets that hold something else than what is in flight': `
    select pocket.id from pocket
      join account on account.id = pocket.held_account_id
      left join withdrawal on withdrawal.pocket_id = pocket.id and withdrawal.status = 'broadcasting'
     group by pocket.id, account.balance
    having account.balance <> coalesce(sum(withdrawal.amount + withdrawal.fee_amount), 0)`,
  'W7: hashes shown before anything was signed': `
    select id from withdrawal where tx_hash is not null and signed_at is null`,
  'W8: attempts without their one verdict': `
    select attempt.tx_hash from transaction_attempt attempt
      left join vault_audit audit on audit.transaction_id = attempt.transaction_id and audit.attempt = attempt.number
       and audit.verdict = 'signed' and audit.tx_hash = attempt.tx_hash
     group by attempt.tx_hash having count(audit.id) <> 1`,
  'gas of final transactions that is not booked as it was paid': `
    select transaction.id from chain_transaction transaction
      left join entry on entry.reference = 'gas:' || transaction.id
      left join posting on posting.entry_id = entry.id and posting.amount > 0
     where transaction.status <> 'signed' and transaction.fee_paid is distinct from posting.amount`,
  'ended withdrawals without exactly one event of it': `
    select withdrawal.id from withdrawal
      left join event on event.resource_id = withdrawal.id and event.type like 'withdrawal.%'
     group by withdrawal.id, withdrawal.status
    having count(event.id) <> (withdrawal.status <> 'broadcasting')::int
        or min(event.type) <> 'withdrawal.' || withdrawal.status`,
};

/** Asserts what must hold of withdrawals at any moment. */
export async function expectPayoutsInOrder(database: Database): Promise<void> {
  const found: Record<string, unknown[]> = {};
  for (const [rule, query] of Object.entries(VIOLATIONS)) {
    const rows = await database.query<Record<string, unknown>>(query);
    if (rows.length > 0) found[rule] = rows;
  }
  expect(found).toEqual({});
}
