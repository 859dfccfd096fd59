import type { Bug } from './bug.ts';
import { CHAIN_BUGS } from './bugs-chains.ts';
import { PAYMENT_BUGS } from './bugs-payments.ts';
import { PAYOUT_BUGS } from './bugs-payouts.ts';
import { SERVICE_BUGS } from './bugs-service.ts';

/** Every bug that the tests must catch, by what it harms. */
export const BUGS: readonly Bug[] = [...PAYMENT_BUGS, ...CHAIN_BUGS, ...PAYOUT_BUGS, ...SERVICE_BUGS];
