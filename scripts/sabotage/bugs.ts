import type { Bug } from './bug.ts';
import { ACCOUNT_BUGS } from './bugs-accounts.ts';
import { CALLER_BUGS } from './bugs-callers.ts';
import { CHAIN_BUGS } from './bugs-chains.ts';
import { CONNECTION_BUGS } from './bugs-connections.ts';
import { EXPIRING_BUGS } from './bugs-expiring.ts';
import { ENERGY_BUGS } from './bugs-energy.ts';
import { TRON_BUGS } from './bugs-tron.ts';
import { PAYMENT_BUGS } from './bugs-payments.ts';
import { TRANSACTION_BUGS } from './bugs-transactions.ts';
import { WEBHOOK_BUGS } from './bugs-webhooks.ts';
import { WITHDRAWAL_BUGS } from './bugs-withdrawals.ts';

/** Every bug that the tests must catch, by what it harms. */
export const BUGS: readonly Bug[] = [
  ...PAYMENT_BUGS,
  ...CHAIN_BUGS,
  ...ACCOUNT_BUGS,
  ...WITHDRAWAL_BUGS,
  ...TRANSACTION_BUGS,
  ...EXPIRING_BUGS,
  ...TRON_BUGS,
  ...ENERGY_BUGS,
  ...CALLER_BUGS,
  ...CONNECTION_BUGS,
  ...WEBHOOK_BUGS,
];
