import { z } from 'zod';
import { ChainUnavailable } from '../chain.js';

// The parts of a node's answers that are read. A field that is missing or of another type makes the answer invalid. The
// transactions of blocks are not here: there are too many of them (see block-transfers.ts).

const id = z.string().regex(/^[0-9a-f]{64}$/);
const bytes = z.string().regex(/^(?:[0-9a-f]{2})*$/);
/** Smallest units; above 2^53 a JSON number is not exact. */
const units = z.int().nonnegative();
/** Ms, up to the end of the year 9999. */
const time = z.int().nonnegative().max(253_402_300_799_999);

/** What the id of a block is the hash of: every field of java-tron's `BlockHeader.raw`, and others that are not known. */
const rawHeaderShape = z.looseObject({
  timestamp: time.default(0),
  txTrieRoot: bytes.default(''),
  parentHash: id,
  number: units.default(0),
  witness_id: units.default(0),
  witness_address: bytes.default(''),
  version: units.default(0),
  accountStateRoot: bytes.default(''),
});
export type RawHeader = z.infer<typeof rawHeaderShape>;

/** Returns the names of fields that a newer java-tron has added to its headers. */
export const unknownFieldsOf = (header: RawHeader): readonly string[] =>
  Object.keys(header).filter((name) => !(name in rawHeaderShape.shape));

/** A block without its transactions. Fields that are 0 are left out. */
export const blockShape = z.object({ blockID: id, block_header: z.object({ raw_data: rawHeaderShape }) });

const existingAccountShape = z.object({
  address: z.string(),
  balance: units.default(0),
  type: z.string().default('Normal'),
  /** Staked, but not those that are delegated. */
  frozenV2: z.array(z.object({ type: z.string().default('BANDWIDTH'), amount: units.default(0) })).default([]),
  /** Taken back, and not paid out yet. */
  unfrozenV2: z
    .array(z.object({ unfreeze_amount: units.default(0), unfreeze_expire_time: time.default(0) }))
    .default([]),
  delegated_frozenV2_balance_for_bandwidth: units.default(0),
  account_resource: z
    .object({ delegated_frozenV2_balance_for_energy: units.default(0) })
    .default({ delegated_frozenV2_balance_for_energy: 0 }),
});
/** An account that exists. */
export type TronAccount = z.infer<typeof existingAccountShape>;

/** An account. An address that was never activated has none: `{}`. */
export const accountShape = z.union([existingAccountShape, z.strictObject({})]);

/** Whether an account exists. */
export const isAccount = (account: z.infer<typeof accountShape>): account is TronAccount => 'address' in account;

/** A call of a contract that is only simulated. */
export const constantCallShape = z.object({
  result: z.object({ result: z.boolean().optional(), code: z.string().optional() }),
  /** With the penalty of a busy contract. */
  energy_used: units.default(0),
  constant_result: z.array(z.string()).optional(),
  transaction: z.object({ ret: z.array(z.object({ ret: z.string().optional() })).default([]) }).optional(),
});

/** What the chain takes. A value that is 0 is left out. */
export const chainParametersShape = z.object({
  chainParameter: z.array(z.object({ key: z.string(), value: z.int().default(0) })),
});

/** What came of a transaction in a block. Fields that are 0 or empty are left out. */
export const infoShape = z.object({
  id,
  blockNumber: units,
  blockTimeStamp: time,
  fee: units.default(0),
  result: z.string().optional(),
  receipt: z.object({ result: z.string().optional() }).default({}),
  log: z.array(z.unknown()).default([]),
});

/** A transaction in a block, as far as it is read. */
export const transactionShape = z.object({
  txID: id,
  raw_data_hex: z.string().regex(/^(?:[0-9a-f]{2})+$/),
  ret: z.tuple([z.object({ contractRet: z.string() })]),
});

/** A node's answer to a broadcast. */
export const broadcastShape = z.object({
  result: z.boolean().default(false),
  code: z.string().default(''),
  message: z.string().default(''),
});

/** The bandwidth of an account that costs nothing. One that was never activated has none: `{}`. */
export const bandwidthShape = z.object({ freeNetLimit: units.default(0), freeNetUsed: units.default(0) });

/** The energy of the chain, beside that of an account. One that was never activated has none: `{}`. */
export const resourceShape = z.object({ TotalEnergyLimit: units.default(0), TotalEnergyWeight: units.default(0) });

/** The staked sun that an account can delegate. */
export const lendableShape = z.object({ max_size: units.default(0) });

/** Returns an answer that has the shape. @throws ChainUnavailable for any other */
export function parsed<Shape extends z.ZodType>(shape: Shape, answer: unknown, what: string): z.infer<Shape> {
  const { success, data, error } = shape.safeParse(answer);
  if (success) return data;
  throw new ChainUnavailable(`The node returned a malformed ${what}: ${error.issues[0]?.message ?? 'no reason'}.`);
}
