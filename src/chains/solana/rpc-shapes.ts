import { z } from 'zod';

// The parts of a node's answers that are read. A field that is missing or of another type makes the answer invalid.

const slot = z.int().nonnegative();

/** `getSlot`. */
export const slotShape = slot;
/** `getBlocksWithLimit`. */
export const slotsShape = z.array(slot);
/** `getMinimumBalanceForRentExemption`: no account is free. */
export const lamportsShape = z.int().positive();
/** `getGenesisHash`. */
export const stringShape = z.string();

/** `getVersion`. */
export const versionShape = z.object({ 'solana-core': z.string() });

const withContext = <Value extends z.ZodType>(value: Value) => z.object({ context: z.object({ slot }), value });

/** The head of a block: `getBlock` without transactions. */
export const blockShape = z.object({
  blockhash: z.string(),
  previousBlockhash: z.string(),
  parentSlot: slot,
  blockTime: z.int().nullable(),
});

/** `getMultipleAccounts` in base64: null for an account that does not exist. */
export const accountsShape = withContext(
  z.array(
    z
      .object({ lamports: z.int().nonnegative(), owner: z.string(), data: z.tuple([z.base64(), z.literal('base64')]) })
      .nullable(),
  ),
);

/** `getSignaturesForAddress`. */
export const signaturesShape = z.array(z.object({ signature: z.string(), slot, err: z.unknown() }));

const tokenBalance = z.object({
  accountIndex: z.int().nonnegative(),
  mint: z.string(),
  owner: z.string().optional(),
  programId: z.string().optional(),
  uiTokenAmount: z.object({ amount: z.string().regex(/^\d+$/) }),
});

/** `getTransaction` in the encoding `json`. */
export const transactionShape = z.object({
  slot,
  /** Versions that exist today; no other is read. */
  version: z.union([z.literal('legacy'), z.literal(0), z.literal(1)]).optional(),
  transaction: z.object({
    message: z.object({ accountKeys: z.array(z.string()).nonempty() }),
    signatures: z.array(z.string()).nonempty(),
  }),
  meta: z.object({
    err: z.unknown(),
    fee: z.number(),
    // Balances of strangers may be above 2^53 lamports, where JSON numbers are not exact.
    preBalances: z.array(z.number()),
    postBalances: z.array(z.number()),
    preTokenBalances: z.array(tokenBalance).nullish(),
    postTokenBalances: z.array(tokenBalance).nullish(),
    loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).nullish(),
  }),
});
export type TransactionAnswer = z.infer<typeof transactionShape>;
