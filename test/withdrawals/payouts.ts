import { WITHDRAWAL_CHECKS } from '../../src/auditor/checks/withdrawal-checks.sql.js';
import { type Database } from '../../src/platform/database/database.js';
import { query } from '../support/sql.js';

/** One signed version of a payment. */
export interface Attempt {
  readonly txHash: string;
  readonly raw: string;
  /** Wei per gas. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** A withdrawal's outgoing transaction, by the database. */
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

/** Returns the transaction that the vault signed for a withdrawal; null without one that may be mined. */
export async function payoutOf(database: Database, withdrawalId: string): Promise<Payout | null> {
  const rows = await query<Record<string, string | null>>(
    database,
    `select transaction.id, nonce, status, mined_hash, fee_paid, tx_hash, raw_transaction, max_fee_per_gas,
            max_priority_fee_per_gas
       from chain_transaction transaction join transaction_attempt on transaction_id = transaction.id
      where purpose = 'withdrawal' and purpose_id = $1 and status not in ('superseded', 'expired') order by number`,
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

/** Returns the types of a withdrawal's events, the oldest first. */
export async function withdrawalEvents(database: Database, id: string): Promise<string[]> {
  const rows = await query<{ type: string }>(
    database,
    `select type from event where resource_id = $1 order by position`,
    [id],
  );
  return rows.map(({ type }) => type);
}

/** Asserts the invariants of withdrawals that hold at every moment. */
export async function expectPayoutsInOrder(database: Database): Promise<void> {
  const found = await database.transaction(async (tx) => {
    const findings = new Map<string, unknown>();
    for (const { name, find } of WITHDRAWAL_CHECKS) {
      const finding = await find(tx);
      if (finding !== null) findings.set(name, finding);
    }
    const early = await query(tx, `select id from withdrawal where tx_hash is not null and signed_at is null`);
    if (early.length > 0) findings.set('W7: hashes shown before anything was signed', early);
    return Object.fromEntries(findings);
  });
  expect(found).toEqual({});
}
