import type { Database } from '../../platform/database/database.js';
import { newestSimulation, type RecordedSimulation } from '../simulation/payment-simulations.js';
import type { PaymentPurpose, TransactionPurpose } from './transaction-order.js';

/** An outgoing transaction, for operators. */
export interface RecordedTransaction {
  readonly id: string;
  readonly chainRef: string;
  readonly sender: string;
  readonly nonce: string;
  readonly status: string;
  readonly gasLimit: string;
  readonly signedAt: string;
  readonly broadcastAt: string | null;
  /** Set while a replacement with a higher fee is wanted. */
  readonly replaceWantedAt: string | null;
  readonly minedHash: string | null;
  readonly minedHeight: string | null;
  /** Wei. */
  readonly feePaid: string | null;
}

/** One signed version of it; fees in wei per gas. */
export interface RecordedAttempt {
  readonly number: number;
  readonly txHash: string;
  readonly maxFeePerGas: string;
  readonly maxPriorityFeePerGas: string;
  readonly signedAt: string;
}

/** A verdict of the vault, or an action of an operator. */
export interface RecordedVerdict {
  readonly at: string;
  readonly who: string;
  readonly what: string;
  readonly reason: string | null;
}

/** The transaction that was signed for an order: the newest, where an earlier one was superseded. */
export interface TransactionRecord {
  /** The newest simulation of its payment; null while there is none. */
  readonly simulation: RecordedSimulation | null;
  readonly transaction: RecordedTransaction | null;
  readonly attempts: readonly RecordedAttempt[];
}

/** Returns the transaction of an order with every signed version of it. */
export async function transactionRecord(
  database: Database,
  purpose: PaymentPurpose,
  purposeId: string,
): Promise<TransactionRecord> {
  const simulation = await newestSimulation(database, purpose, purposeId);
  const [transaction] = await database.query<RecordedTransaction>(
    `select id, chain_ref as "chainRef", sender, nonce, status, gas_limit as "gasLimit", created_at as "signedAt",
            broadcast_at as "broadcastAt", replace_wanted_at as "replaceWantedAt", mined_hash as "minedHash",
            mined_height as "minedHeight", fee_paid as "feePaid"
       from chain_transaction where purpose = $1 and purpose_id = $2
      order by status = 'superseded', created_at desc limit 1`,
    [purpose, purposeId],
  );
  if (transaction === undefined) return { simulation, transaction: null, attempts: [] };
  const attempts = await database.query<RecordedAttempt>(
    `select number, tx_hash as "txHash", max_fee_per_gas as "maxFeePerGas",
            max_priority_fee_per_gas as "maxPriorityFeePerGas", signed_at as "signedAt"
       from transaction_attempt where transaction_id = $1 order by number`,
    [transaction.id],
  );
  return { simulation, transaction, attempts };
}

/**
 * Returns the verdicts of the vault on an order, and the actions of operators on it or on its subjects, by time. An
 * adoption is shown by its audit entry.
 */
export function verdictsOn(
  database: Database,
  purpose: TransactionPurpose,
  { purposeId, subjects }: { readonly purposeId: string; readonly subjects: readonly string[] },
): Promise<RecordedVerdict[]> {
  return database.query<RecordedVerdict>(
    `select created_at as at, 'vault' as who,
            case verdict when 'signed' then 'signed attempt ' || attempt else verdict end as what,
            coalesce(reason, tx_hash) as reason
       from vault_audit where purpose = $1 and purpose_id = $2 and verdict <> 'adopted'
      union all
     select created_at, actor, action, reason from audit_entry
      where subject = any($3)
         or subject in (select id from chain_transaction where purpose = $1 and purpose_id = $2)
      order by at`,
    [purpose, purposeId, [...subjects]],
  );
}
