import { base58 } from '@scure/base';
import { ChainUnavailable } from '../chain.js';
import type { PlacedFunds } from '../expiring.js';
import { TOKEN_PROGRAM } from './programs.js';

/** The part of a token account's data that holds its balance. */
export const BALANCE_SLICE = { offset: 64, length: 8 };

/** The part of a token account's data that says whether its issuer has frozen it. */
export const FREEZE_SLICE = { offset: 108, length: 1 };
const FROZEN = 2;

const MINT_LENGTH = 82;
const DECIMALS_AT = 44;
const INITIALIZED_AT = 45;

/** An account as `getMultipleAccounts` returns it. */
interface StoredAccount {
  readonly lamports: number;
  /** The program that owns it. */
  readonly owner: string;
  readonly data: readonly [string, string];
}

/** Returns the lamports of an account. */
export const lamportsOf = (account: StoredAccount | null): bigint => BigInt(account?.lamports ?? 0);

/**
 * Returns the balance of a token account from its slice; 0 for an account of another program.
 * @throws ChainUnavailable when the node returned another slice: a balance read from it would be wrong
 */
export function tokenUnitsOf(account: StoredAccount | null): bigint {
  if (account?.owner !== TOKEN_PROGRAM) return 0n;
  const slice = Buffer.from(account.data[0], 'base64');
  if (slice.length !== BALANCE_SLICE.length) {
    throw new ChainUnavailable(
      `The node returned ${slice.length} bytes of an account instead of ${BALANCE_SLICE.length}.`,
    );
  }
  return slice.readBigUInt64LE();
}

/** The part of a token account's data that holds both. */
export const FUNDS_SLICE = {
  offset: BALANCE_SLICE.offset,
  length: FREEZE_SLICE.offset + FREEZE_SLICE.length - BALANCE_SLICE.offset,
};

/** The part of a token account's data that says which token it holds, and how much. */
export const HOLDING_SLICE = { offset: 0, length: BALANCE_SLICE.offset + BALANCE_SLICE.length };
const KEY_LENGTH = 32;

/** Returns the mint and the balance of a token account from its slice. @throws ChainUnavailable for another slice */
export function holdingOf(account: StoredAccount): { readonly token: string; readonly units: bigint } {
  const slice = Buffer.from(account.data[0], 'base64');
  if (slice.length !== HOLDING_SLICE.length) {
    throw new ChainUnavailable(
      `The node returned ${slice.length} bytes of an account instead of ${HOLDING_SLICE.length}.`,
    );
  }
  const token = base58.encode(slice.subarray(0, KEY_LENGTH));
  return { token, units: slice.readBigUInt64LE(BALANCE_SLICE.offset) };
}

/** Returns what a token account holds, from its slice of balance and state; nothing for an account of another program. */
export function tokenFundsOf(account: StoredAccount | null): PlacedFunds {
  if (account?.owner !== TOKEN_PROGRAM) return { units: 0n, hasAccount: false, isFrozenByIssuer: false };
  const slice = Buffer.from(account.data[0], 'base64');
  if (slice.length !== FUNDS_SLICE.length) {
    throw new ChainUnavailable(
      `The node returned ${slice.length} bytes of an account instead of ${FUNDS_SLICE.length}.`,
    );
  }
  return { units: slice.readBigUInt64LE(), hasAccount: true, isFrozenByIssuer: slice.at(-1) === FROZEN };
}

/** Returns whether a token account is frozen, from its slice; false for an account of another program. */
export const isFrozenIn = (account: StoredAccount | null): boolean =>
  account?.owner === TOKEN_PROGRAM && Buffer.from(account.data[0], 'base64')[0] === FROZEN;

/** Returns the decimals of a mint from its whole data; null for any other account. */
export function decimalsOfMint(account: StoredAccount | null): number | null {
  if (account?.owner !== TOKEN_PROGRAM) return null;
  const data = Buffer.from(account.data[0], 'base64');
  if (data.length !== MINT_LENGTH || data[INITIALIZED_AT] !== 1) return null;
  return data[DECIMALS_AT] ?? null;
}
