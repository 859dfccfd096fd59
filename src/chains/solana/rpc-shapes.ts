import { z } from 'zod';

// The parts of a node's answers that are read. A field that is missing or of another type makes the answer invalid.

const slot = z.int().nonnegative();
/** Strangers may have more than 2^53 lamports, which no number holds exactly. */
const lamports = z.union([z.int(), z.bigint()]).transform(BigInt);

/** `getSlot`, `getFirstAvailableBlock`. */
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

/** The place of a block among all others: `getBlock` without transactions. */
export const blockHeightShape = z.object({ blockhash: z.string(), blockHeight: z.int().nonnegative() });
/** A block with the slot of the one before it. */
export const childBlockShape = blockHeightShape.extend({ parentSlot: slot });
/** A block with the ids of its transactions: `getBlock` with `signatures`. */
export const signedBlockShape = blockHeightShape.extend({
  previousBlockhash: z.string(),
  parentSlot: slot,
  signatures: z.array(z.string()),
});

/** `getLatestBlockhash`. */
export const latestBlockhashShape = withContext(
  z.object({ blockhash: z.string(), lastValidBlockHeight: z.int().nonnegative() }),
);
/** `getRecentPrioritizationFees`. */
export const feesShape = z.array(z.object({ slot, prioritizationFee: z.int().nonnegative() }));
/** `getFeeForMessage`. */
export const messageFeeShape = withContext(z.int().nonnegative().nullable());

/** `getSignatureStatuses`: null for a transaction that the node does not have. */
export const statusesShape = withContext(z.array(z.object({ slot }).nullable()));

/** `isBlockhashValid`. */
export const validityShape = withContext(z.boolean());

/** `simulateTransaction`. */
export const simulationShape = withContext(z.object({ err: z.unknown() }));

/** `getMultipleAccounts` in base64: null for an account that does not exist. */
export const accountsShape = withContext(
  z.array(
    z
      .object({ lamports: z.int().nonnegative(), owner: z.string(), data: z.tuple([z.base64(), z.literal('base64')]) })
      .nullable(),
  ),
);

/** `getTokenAccountsByOwner` in base64. */
export const ownedAccountsShape = withContext(
  z.array(
    z.object({
      pubkey: z.string(),
      account: z.object({
        lamports: z.int().nonnegative(),
        owner: z.string(),
        data: z.tuple([z.base64(), z.literal('base64')]),
      }),
    }),
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
    fee: lamports,
    preBalances: z.array(lamports),
    postBalances: z.array(lamports),
    preTokenBalances: z.array(tokenBalance).nullish(),
    postTokenBalances: z.array(tokenBalance).nullish(),
    loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).nullish(),
  }),
});
/** `getTransaction` in the encoding `base64`. */
export const transactionBytesShape = z.object({
  slot,
  transaction: z.tuple([z.base64(), z.literal('base64')]),
});

export type TransactionAnswer = z.infer<typeof transactionShape>;
