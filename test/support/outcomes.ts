import type { OutcomesByPurpose, TransactionOutcomes } from '../../src/treasury/transactions/transaction-outcomes.js';

/** Uses the same handler for transactions of every purpose. */
export const forEveryPurpose = (outcomes: TransactionOutcomes): OutcomesByPurpose => ({
  withdrawal: outcomes,
  sweep: outcomes,
  contract: outcomes,
  deposit_return: outcomes,
  loss: outcomes,
});
