import { z } from 'zod';
import { ChainUnavailable } from '../chain.js';

// The parts of a node's answers that are read. A field that is missing or of another type makes the answer invalid. The
// transactions of blocks are not here: there are too many of them (see block-transfers.ts).

const id = z.string().regex(/^[0-9a-f]{64}$/);
/** Smallest units; above 2^53 a JSON number is not exact. */
const units = z.int().nonnegative();
/** Ms, up to the end of the year 9999. */
const time = z.int().nonnegative().max(253_402_300_799_999);

/** A block without its transactions. Fields that are 0 are left out. */
export const blockShape = z.object({
  blockID: id,
  block_header: z.object({
    raw_data: z.object({ number: units.default(0), parentHash: id, timestamp: time.default(0) }),
  }),
});

/** An account. An address that was never activated has none: `{}`. */
export const accountShape = z.union([z.object({ address: z.string(), balance: units.default(0) }), z.strictObject({})]);

/** A call of a contract that is only simulated. */
export const constantCallShape = z.object({
  result: z.object({ result: z.boolean().optional(), code: z.string().optional() }),
  constant_result: z.array(z.string()).optional(),
});

/** Returns an answer that has the shape. @throws ChainUnavailable for any other */
export function parsed<Shape extends z.ZodType>(shape: Shape, answer: unknown, what: string): z.infer<Shape> {
  const { success, data, error } = shape.safeParse(answer);
  if (success) return data;
  throw new ChainUnavailable(`The node returned a malformed ${what}: ${error.issues[0]?.message ?? 'no reason'}.`);
}
