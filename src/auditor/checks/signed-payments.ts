import { contradictionIn, type SignedRecord } from '../../chains/evm/signed-order.js';
import { contradictionInMoves } from '../../chains/solana/signed-order.js';
import { contradictionInTransaction } from '../../chains/tron/signed-order.js';
import { rows } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { BreachList, type Check, type Finding } from '../check.js';
import { nextAttempts } from './signed-payments.sql.js';

const BATCH = 100;

type AttemptRow = RowOf<typeof nextAttempts>;

/** Checks the signed bytes themselves, not the columns beside them. */
export const SIGNED_PAYMENTS_CHECK: Check = {
  name: 'payments_are_ordered',
  rule: 'Every signed version of a transaction does what one withdrawal, refund, sweep, funding, loan of energy, stake or deployment ordered, or is a loss that staff adopted.',
  find: async (tx) => {
    const breaches = new BreachList();
    let above: readonly [id: string, number: number] = ['', 0];
    for (;;) {
      const attempts = await rows(tx, nextAttempts(above, BATCH));
      for (const attempt of attempts) {
        const says = contradictionOf(attempt);
        if (says !== null) breaches.add(findingOf(attempt, says));
        above = [attempt.transactionId, attempt.number];
      }
      if (attempts.length < BATCH) return breaches.found;
    }
  },
};

/** Decodes the bytes by the family of their chain. */
function contradictionOf(attempt: AttemptRow): string | null {
  if (attempt.family === 'evm') return contradictionIn(signedRecord(attempt), attempt);
  const signed = { ...attempt, raw: attempt.rawTransaction };
  return attempt.family === 'solana'
    ? contradictionInMoves(signed, attempt)
    : contradictionInTransaction(signed, { ...attempt, payment: attempt.payment ?? sweptBy(attempt) });
}

/** Returns a sweep that its only address signs as a payment to the hot wallet; null when there is none. */
function sweptBy({ sweep, sender, hotWallet }: AttemptRow): AttemptRow['payment'] {
  const [item, ...others] = sweep?.items ?? [];
  if (item === undefined || others.length > 0 || item.deposit !== sender) return null;
  return { token: item.token, amount: item.amount, recipient: hotWallet };
}

const signedRecord = ({ rawTransaction: raw, txHash: hash, chainId, sender, nonce }: AttemptRow): SignedRecord => ({
  raw,
  hash,
  chainId,
  sender,
  nonce: Number(nonce),
});

const findingOf = ({ transactionId: id, number }: AttemptRow, says: string): Finding => ({
  row: `transaction_attempt ${id}/${number}`,
  says,
});
