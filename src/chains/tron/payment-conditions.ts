import { z } from 'zod';
import type { PaymentConditions } from '../expiring.js';

const units = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);

const conditionsShape = z.object({
  /** The newest solid block: no fork drops it, and with it the transactions that name it. */
  solidHeight: z.int().nonnegative(),
  solidHash: z.string(),
  /** Ms of the newest block. */
  headTime: z.int().positive(),
  /** Sun for one energy, and for one byte of a transaction. */
  energyPrice: units,
  bytePrice: units,
  /** Sun that activating an address costs, beside `newAccountFee` in the place of bandwidth. */
  activationFee: units,
  newAccountFee: units,
  /** Energy of a transfer by token, to an address that holds some of it, and to one that holds none. */
  energy: z.record(z.string(), z.object({ held: units, fresh: units })),
});

/** Fees and the newest blocks of tron, as read from a row. */
export type TronConditions = z.infer<typeof conditionsShape>;

/** Energy of a transfer of one token. */
export type TransferEnergy = TronConditions['energy'][string];

/** Reads conditions that were kept as JSON. @throws ZodError for those of another family or version */
export const readConditions = (at: PaymentConditions): TronConditions => conditionsShape.parse(at);

/** Returns conditions as a row keeps them. */
export const keptConditions = ({ energy, ...conditions }: TronConditions): PaymentConditions => ({
  ...conditions,
  energyPrice: String(conditions.energyPrice),
  bytePrice: String(conditions.bytePrice),
  activationFee: String(conditions.activationFee),
  newAccountFee: String(conditions.newAccountFee),
  energy: Object.fromEntries(
    Object.entries(energy).map(([token, { held, fresh }]) => [token, { held: String(held), fresh: String(fresh) }]),
  ),
});
