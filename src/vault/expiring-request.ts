import { z } from 'zod';
import { addressFormOf } from '../domain/address-form.js';
import { UNITS_MAX } from '../domain/money.js';
import type { FundsMove, UnsignedMoves } from '../chains/solana/unsigned-moves.js';
import type { TronAction, UnsignedTronTransaction } from '../chains/tron/unsigned-transaction.js';
import { INDEX_MAX } from './derivation.js';
import type { ExpiringSigner } from './vault.js';

const UINT64_MAX = 2n ** 64n - 1n;
/** More moves or signers do not fit into a transaction of solana. */
const MOVES_MAX = 32;
const SIGNERS_MAX = 12;
/** The most that the chain executes for one transaction. */
const COMPUTE_UNITS_MAX = 1_400_000;
const DECIMALS_MAX = 255;
/** Amounts of tron are signed numbers of 64 bits. */
const INT64_MAX = 2n ** 63n - 1n;
/** The most sun that the chain lets a transaction burn for energy. */
const FEE_LIMIT_MAX = 15_000_000_000n;
/** The least sun that can be staked, or whose energy can be delegated. */
const STAKE_MIN = 1_000_000n;
/** No transaction of tron lives longer. */
const LIFETIME_MAX_MS = 24 * 60 * 60 * 1_000;

const solanaKey = z.string().refine((text) => addressFormOf(text).family === 'solana');
const units = z.bigint().min(1n).max(UINT64_MAX);

const move: z.ZodType<FundsMove> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('coin'), from: solanaKey, to: solanaKey, amount: units }),
  z.strictObject({
    kind: z.literal('token'),
    from: solanaKey,
    to: solanaKey,
    token: solanaKey,
    source: solanaKey.optional(),
    decimals: z.int().min(0).max(DECIMALS_MAX),
    amount: units,
    opensAccount: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('close'),
    from: solanaKey,
    token: solanaKey,
    source: solanaKey.optional(),
    to: solanaKey,
  }),
]);

const moves = z.strictObject({
  family: z.literal('solana'),
  payer: solanaKey,
  moves: z.array(move).min(1).max(MOVES_MAX).readonly(),
  blockhash: solanaKey,
  computeUnitLimit: z.int().min(1).max(COMPUTE_UNITS_MAX),
  computeUnitPrice: z.bigint().min(0n).max(UINT64_MAX),
}) satisfies z.ZodType<UnsignedMoves>;

const tronKey = z.string().refine((text) => addressFormOf(text).family === 'tron');
const sun = z.bigint().min(1n).max(INT64_MAX);

const action: z.ZodType<TronAction> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('coin'), to: tronKey, amount: sun }),
  z.strictObject({ kind: z.literal('token'), to: tronKey, token: tronKey, amount: z.bigint().min(1n).max(UNITS_MAX) }),
  z.strictObject({
    kind: z.enum(['delegate', 'undelegate']),
    to: tronKey,
    amount: z.bigint().min(STAKE_MIN).max(INT64_MAX),
  }),
  z.strictObject({ kind: z.enum(['stake', 'unstake']), amount: z.bigint().min(STAKE_MIN).max(INT64_MAX) }),
  z.strictObject({ kind: z.literal('withdraw'), amount: z.literal(0n) }),
]);

const tronTransaction = z
  .strictObject({
    family: z.literal('tron'),
    owner: tronKey,
    action,
    refBlock: z.string().regex(/^[0-9a-f]{64}$/),
    expiration: z.int().min(1),
    timestamp: z.int().min(1),
    feeLimit: z.bigint().min(0n).max(FEE_LIMIT_MAX),
  })
  .refine(({ action: { kind }, feeLimit }) => (kind === 'token') === feeLimit > 0n, { path: ['feeLimit'] })
  .refine(({ expiration, timestamp }) => expiration > timestamp && expiration - timestamp <= LIFETIME_MAX_MS, {
    path: ['expiration'],
  }) satisfies z.ZodType<UnsignedTronTransaction>;

const signer: z.ZodType<ExpiringSigner> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('hot_wallet') }),
  z.strictObject({ kind: z.literal('deposit'), index: z.int().min(0).max(INDEX_MAX) }),
]);

/** Those who sign a transaction that expires. */
export const expiringSigners = z.array(signer).min(1).max(SIGNERS_MAX).readonly();

/** A transaction that expires, of any family. */
export const unsignedExpiring = z.discriminatedUnion('family', [moves, tronTransaction]);

/** Whether a transaction stakes coins, or lends what a stake gives: everything but a payment. */
export const usesStake = (unsigned: z.infer<typeof unsignedExpiring>): boolean =>
  unsigned.family === 'tron' && unsigned.action.kind !== 'coin' && unsigned.action.kind !== 'token';
