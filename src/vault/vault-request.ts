import { z } from 'zod';
import { parseEvmAddress } from '../domain/evm-address.js';
import { UNITS_MAX } from '../domain/money.js';
import { ADDRESS_FAMILIES, ENVIRONMENTS, EVM_NETWORKS, NETWORKS } from '../domain/network.js';
import type {
  SignedEvmAuthorization,
  SignedEvmTransaction,
  UnsignedEvmTransaction,
} from '../chains/evm/evm-transaction.js';
import type { SignedBytes } from '../chains/expiring-transaction.js';
import { expiringSigners, unsignedExpiring, usesStake } from './expiring-request.js';
import { INDEX_MAX } from './derivation.js';
import type { DerivedAddress, SigningKey, VaultFailure } from './vault.js';

const UINT64_MAX = 2n ** 64n - 1n;
/** The data limit of nodes for one transaction. */
const DATA_BYTES_MAX = 128 * 1024;
/** Gas of a bare transfer: no transaction is mined for less. */
const GAS_MIN = 21_000n;

/** A transaction with more authorizations would not fit into a block. */
const AUTHORIZATIONS_MAX = 500;
const wei = z.bigint().min(0n).max(UNITS_MAX);
const environment = z.enum(ENVIRONMENTS);
const chainId = z.bigint().min(1n).max(UINT64_MAX);
const nonce = z.int().min(0);
const evmAddress = z.string().refine((text) => parseEvmAddress(text) !== null);
const word = z.string().regex(/^0x[0-9a-fA-F]{64}$/);

const authorization: z.ZodType<SignedEvmAuthorization> = z.strictObject({
  delegate: evmAddress,
  nonce,
  yParity: z.union([z.literal(0), z.literal(1)]),
  r: word,
  s: word,
});

const transaction: z.ZodType<UnsignedEvmTransaction> = z
  .strictObject({
    chainId,
    nonce,
    to: evmAddress,
    value: wei,
    data: z
      .string()
      .max(2 + 2 * DATA_BYTES_MAX)
      .regex(/^0x(?:[0-9a-fA-F]{2})*$/),
    gasLimit: z.bigint().min(GAS_MIN).max(UINT64_MAX),
    maxFeePerGas: wei,
    maxPriorityFeePerGas: wei,
    authorizations: z.array(authorization).min(1).max(AUTHORIZATIONS_MAX).optional(),
  })
  .refine(({ maxFeePerGas, maxPriorityFeePerGas }) => maxPriorityFeePerGas <= maxFeePerGas, {
    path: ['maxPriorityFeePerGas'],
  });

const key: z.ZodType<SigningKey> = z.strictObject({ kind: z.literal('hot_wallet'), network: z.enum(EVM_NETWORKS) });

const question = z.discriminatedUnion('type', [
  // The limits of `from` and `count` are the derivation's own.
  z.strictObject({
    type: z.literal('derive'),
    environment,
    family: z.enum(ADDRESS_FAMILIES),
    from: z.number(),
    count: z.number(),
  }),
  z.strictObject({ type: z.literal('hot_wallet'), environment, network: z.enum(NETWORKS) }),
  z.strictObject({ type: z.literal('sign_evm'), environment, key, transaction }),
  z.strictObject({
    type: z.literal('authorize_evm'),
    environment,
    terms: z.strictObject({ chainId, delegate: evmAddress }),
    deposits: z
      .array(z.strictObject({ index: z.int().min(0).max(INDEX_MAX), nonce }))
      .min(1)
      .max(AUTHORIZATIONS_MAX)
      .readonly(),
  }),
  z
    .strictObject({
      type: z.literal('sign_expiring'),
      environment,
      signers: expiringSigners,
      unsigned: unsignedExpiring,
    })
    // Deposit addresses have no stake.
    .refine(({ signers, unsigned }) => !usesStake(unsigned) || signers.every(({ kind }) => kind === 'hot_wallet'), {
      path: ['signers'],
    }),
  z.strictObject({ type: z.literal('close') }),
]);

const request = z.strictObject({ id: z.int(), question });

export type VaultQuestion = z.infer<typeof question>;
/** A request to the vault's thread. Requests are answered in order, and none after `close`. */
export type VaultRequest = z.infer<typeof request>;

/** An answer of the vault's thread. No answer carries a key. */
export type VaultAnswer =
  | { readonly type: 'derived'; readonly addresses: readonly DerivedAddress[] }
  | { readonly type: 'signed'; readonly transaction: SignedEvmTransaction }
  | { readonly type: 'authorized'; readonly authorizations: readonly SignedEvmAuthorization[] }
  | { readonly type: 'signed_expiring'; readonly transaction: SignedBytes };

/** First `opened` or `refused`, then one reply per request, with its id; null when the request had no readable id. */
export type VaultReply =
  | { readonly type: 'opened' }
  | { readonly type: 'refused'; readonly reason: VaultFailure }
  | { readonly type: 'answered'; readonly id: number; readonly answer: VaultAnswer }
  | { readonly type: 'failed'; readonly id: number | null; readonly error: unknown };

/** Parses a message. Throws a `TypeError` that names the invalid fields, without their values. */
export function parseRequest(message: unknown): VaultRequest {
  const parsed = request.safeParse(message);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path }) => path.join('.') || 'message');
  throw new TypeError(`Invalid vault request fields: ${faults.join(', ')}.`);
}

/** Returns the id of a message that may be invalid. */
export function requestIdOf(message: unknown): number | null {
  const identified = z.looseObject({ id: z.int() }).safeParse(message);
  return identified.success ? identified.data.id : null;
}
