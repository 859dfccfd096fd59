import { Transaction } from 'ethers/transaction';
import { readTransferCall } from '../domain/transfer-call.js';
import { type Tx, sql } from '../platform/database/database.js';
import type { Check, Finding } from './check.js';

const BATCH = 500;

interface AttemptRow {
  readonly transaction_id: string;
  readonly number: number;
  readonly tx_hash: string;
  readonly raw_transaction: string;
  readonly chain_id: string;
  readonly sender: string;
  readonly nonce: string;
  /** What was ordered; null when there is no such withdrawal on that chain. */
  readonly token: string | null;
  readonly amount: string | null;
  readonly recipient: string | null;
}

/** The signed bytes themselves, read again: whatever the columns beside them say. */
export const SIGNED_PAYMENTS_CHECK: Check = {
  name: 'payments_are_ordered',
  rule: 'Every signed version of a transaction pays what one withdrawal ordered: chain, token, amount and recipient.',
  find: async (tx) => {
    let above: readonly [id: string, number: number] = ['', 0];
    for (;;) {
      const attempts = await nextAttempts(tx, above);
      for (const attempt of attempts) {
        const says = contradiction(attempt);
        if (says !== null) return findingOf(attempt, says);
        above = [attempt.transaction_id, attempt.number];
      }
      if (attempts.length < BATCH) return null;
    }
  },
};

function nextAttempts(tx: Tx, [id, number]: readonly [id: string, number: number]): Promise<AttemptRow[]> {
  return sql<AttemptRow>(
    tx,
    `select attempt.transaction_id, attempt.number, attempt.tx_hash, attempt.raw_transaction, chain.chain_id, sent.sender,
            sent.nonce, lower(withdrawal.token_contract) as token, withdrawal.amount,
            withdrawal.destination_key as recipient
       from transaction_attempt attempt
       join chain_transaction sent on sent.id = attempt.transaction_id
       join chain on chain.id = sent.chain_ref
       left join withdrawal on withdrawal.id = sent.purpose_id and withdrawal.chain_ref = sent.chain_ref
      where (attempt.transaction_id, attempt.number) > ($1, $2)
      order by attempt.transaction_id, attempt.number limit $3`,
    [id, number, BATCH],
  );
}

const findingOf = ({ transaction_id: id, number }: AttemptRow, says: string): Finding => ({
  row: `transaction_attempt ${id}/${number}`,
  says,
});

function contradiction({ raw_transaction: raw, tx_hash: hash, ...row }: AttemptRow): string | null {
  const signed = parsed(raw);
  if (signed === null) return 'holds bytes that are no transaction';
  const { chainId, nonce, from, to, value, data } = signed;
  const isItself = signed.hash === hash && String(chainId) === row.chain_id && nonce === Number(row.nonce);
  if (!isItself || from?.toLowerCase() !== row.sender) return 'holds the bytes of another transaction';
  const paid = to === null ? null : readTransferCall({ to, value, data });
  const isOrdered =
    paid !== null && paid.token === row.token && paid.recipient === row.recipient && String(paid.amount) === row.amount;
  return isOrdered ? null : 'pays what no withdrawal ordered';
}

function parsed(raw: string): Transaction | null {
  try {
    return Transaction.from(raw);
  } catch {
    return null;
  }
}
