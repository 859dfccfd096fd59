import type { OutcomeHandlers, OutcomeHandler } from '../../src/treasury/transactions/outcome-handler.js';

/** Uses the same handler for transactions of every purpose. */
export const forEveryPurpose = (outcomes: OutcomeHandler): OutcomeHandlers => ({
  withdrawal: outcomes,
  sweep: outcomes,
  contract: outcomes,
  deposit_return: outcomes,
  loss: outcomes,
  funding: outcomes,
  energy_loan: outcomes,
  energy_return: outcomes,
  stake: outcomes,
});
