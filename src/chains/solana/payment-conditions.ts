import { z } from 'zod';
import type { PaymentConditions } from '../expiring.js';

const units = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);

const conditionsShape = z.object({
  /** The newest confirmed block. */
  slot: z.int().nonnegative(),
  blockhash: z.string(),
  /** Agave counts from the parent of the block that a transaction is in: it may be in the block after this height. */
  lastValidBlockHeight: z.int().nonnegative(),
  /** Millionths of a lamport for one compute unit: the median of the last blocks, and the 90th percentile. */
  priceStandard: units,
  priceFast: units,
  lamportsPerSignature: units,
  /** The least that an account must hold, in lamports. */
  rentOfTokenAccount: units,
  rentOfWallet: units,
});

/** Fees and the newest block of solana, as read from a row. */
export type SolanaConditions = z.infer<typeof conditionsShape>;

/** Reads conditions that were kept as JSON. @throws ZodError for those of another family or version */
export const readConditions = (at: PaymentConditions): SolanaConditions => conditionsShape.parse(at);

/** Returns conditions as a row keeps them. */
export const keptConditions = (conditions: SolanaConditions): PaymentConditions => ({
  ...conditions,
  priceStandard: String(conditions.priceStandard),
  priceFast: String(conditions.priceFast),
  lamportsPerSignature: String(conditions.lamportsPerSignature),
  rentOfTokenAccount: String(conditions.rentOfTokenAccount),
  rentOfWallet: String(conditions.rentOfWallet),
});
