import { z } from 'zod';
import type { PaymentConditions } from '../expiring.js';

const units = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);

const stakeShape = z.object({
  /** Staked sun whose energy is not in use and not delegated, at a final block that is not below `solidHeight`. */
  lendable: units,
  /** The energy of all staked TRX of the chain, and how many TRX these are. */
  totalEnergy: units,
  totalWeight: units,
  /** Bytes that every active address may send each day without paying. */
  freeBandwidth: units,
});

const conditionsShape = z.object({
  /** The newest solid block: no fork drops it, and with it the transactions that name it. */
  solidHeight: z.int().nonnegative(),
  solidHash: z.string(),
  /** Ms of the newest block, or less where it is far above the solid one. */
  headTime: z.int().positive(),
  /** Sun for one energy, and for one byte of a transaction. */
  energyPrice: units,
  bytePrice: units,
  /** Sun that activating an address costs, beside `newAccountFee` in the place of bandwidth. */
  activationFee: units,
  newAccountFee: units,
  /** Energy of a transfer by token, to an address that holds some of it, and to one that holds none. */
  energy: z.record(z.string(), z.object({ held: units, fresh: units })),
  /** Tokens of which a transfer does not bring the recipient what it moves. */
  changedTokens: z.array(z.string()).default([]),
  /** What the hot wallet can lend; missing where it has staked nothing, or the node does not say. */
  stake: stakeShape.optional(),
});

/** Fees and the newest blocks of tron, as read from a row. */
export type TronConditions = z.infer<typeof conditionsShape>;

/** What the hot wallet can lend of its stake. */
export type TronStake = z.infer<typeof stakeShape>;

/** Energy of a transfer of one token. */
export type TransferEnergy = TronConditions['energy'][string];

/** Reads conditions that were kept as JSON. @throws ZodError for those of another family or version */
export const readConditions = (at: PaymentConditions): TronConditions => conditionsShape.parse(at);

/** Returns conditions as a row keeps them. */
export const keptConditions = ({ energy, stake, ...conditions }: TronConditions): PaymentConditions => ({
  ...conditions,
  energyPrice: String(conditions.energyPrice),
  bytePrice: String(conditions.bytePrice),
  activationFee: String(conditions.activationFee),
  newAccountFee: String(conditions.newAccountFee),
  energy: Object.fromEntries(
    Object.entries(energy).map(([token, { held, fresh }]) => [token, { held: String(held), fresh: String(fresh) }]),
  ),
  ...(stake !== undefined && {
    stake: Object.fromEntries(Object.entries(stake).map(([name, value]) => [name, String(value)])),
  }),
});
