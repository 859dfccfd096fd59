import { FAMILY_PROOFS } from './family-proofs.js';
import { PAYMENT_PROOFS } from './payment-proofs.js';
import type { Proof } from './proof.js';
import { TREASURY_PROOFS } from './treasury-proofs.js';

/** Every test that proves a cell. */
export const PROOFS: readonly Proof[] = [...PAYMENT_PROOFS, ...TREASURY_PROOFS, ...FAMILY_PROOFS];
