import type { TronConditions } from '../../src/chains/tron/payment-conditions.js';

/** Conditions of tron without tokens and without a stake. */
export const TRON_CONDITIONS: TronConditions = {
  solidHeight: 1_234_567,
  solidHash: `000000000012d687${'d4'.repeat(24)}`,
  headTime: 1_800_000_000_000,
  energyPrice: 100n,
  bytePrice: 1_000n,
  activationFee: 1_000_000n,
  newAccountFee: 100_000n,
  energy: {},
  changedTokens: [],
};
