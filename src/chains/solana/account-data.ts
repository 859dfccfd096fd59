import { base58 } from '@scure/base';
import { ChainUnavailable } from '../chain.js';
import type { AccountObstacle, CreditedObstacle } from '../../domain/account-obstacle.js';
import type { PlacedFunds } from '../expiring.js';
import { TOKEN_PROGRAM } from './programs.js';

/** The part of a token account's data that holds its balance. */
export const BALANCE_SLICE = { offset: 64, length: 8 };

/** The part of a token account's data that says whether its issuer has frozen it. */
export const FREEZE_SLICE = { offset: 108, length: 1 };
const UNINITIALIZED = 0;
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

// Where the whole data of a token account says whose it is, and who else may act on it. An option is a number, 0 for none, before
// its value.
const KEY_LENGTH = 32;
const OWNER_AT = 32;
const DELEGATE_AT = 72;
const DELEGATED_UNITS_AT = 121;
const CLOSE_AUTHORITY_AT = 129;
const OPTION_LENGTH = 4;
const WHOLE_LENGTH = 165;

/** The whole data of a token account, and a byte more: what is longer is no account of the token program. */
export const WHOLE_SLICE = { offset: 0, length: WHOLE_LENGTH + 1 };

/** A token account, as its data says. */
interface Holding {
  readonly token: string;
  readonly owner: string;
  readonly units: bigint;
  readonly obstacle: AccountObstacle | null;
}

/**
 * Returns what the whole data of a token account says; null unless it is an account of the token program, initialized, and of
 * exactly its size. Its maker may have closed the account and opened it again as anything.
 */
export function holdingOf(account: StoredAccount | null): Holding | null {
  if (account?.owner !== TOKEN_PROGRAM) return null;
  const data = Buffer.from(account.data[0], 'base64');
  if (data.length !== WHOLE_LENGTH || data[FREEZE_SLICE.offset] === UNINITIALIZED) return null;
  return {
    token: keyAt(data, 0),
    owner: keyAt(data, OWNER_AT),
    units: data.readBigUInt64LE(BALANCE_SLICE.offset),
    obstacle: obstacleIn(data),
  };
}

/** What is in an account that is not the associated one, and why nothing of it counts; null when it counts. */
interface CreditedFunds {
  readonly units: bigint;
  readonly obstacle: CreditedObstacle | null;
}

/** Returns what an account holds of a token for an owner: nothing when it is another owner's or another token's by now. */
export function creditedFundsOf(
  account: StoredAccount | null,
  { owner, token }: { readonly owner: string; readonly token: string },
): CreditedFunds {
  if (account === null) return { units: 0n, obstacle: null };
  const holding = holdingOf(account);
  if (holding?.owner !== owner || holding.token !== token) return { units: 0n, obstacle: 'replaced' };
  return { units: holding.units, obstacle: holding.obstacle };
}

/** Returns the same for a sweep. */
export function wholeFundsOf(
  account: StoredAccount | null,
  place: { readonly owner: string; readonly token: string },
): PlacedFunds {
  const { units, obstacle } = creditedFundsOf(account, place);
  const hasAccount = account !== null && obstacle !== 'replaced';
  return { units, hasAccount, isFrozenByIssuer: obstacle === 'frozen', ...(obstacle !== null && { obstacle }) };
}

const keyAt = (data: Buffer, at: number): string => base58.encode(data.subarray(at, at + KEY_LENGTH));
const isSome = (data: Buffer, at: number): boolean => data.readUInt32LE(at) !== 0;

function obstacleIn(data: Buffer): AccountObstacle | null {
  if (data[FREEZE_SLICE.offset] === FROZEN) return 'frozen';
  if (isSome(data, DELEGATE_AT) && data.readBigUInt64LE(DELEGATED_UNITS_AT) > 0n) return 'delegated';
  const closer = isSome(data, CLOSE_AUTHORITY_AT) ? keyAt(data, CLOSE_AUTHORITY_AT + OPTION_LENGTH) : null;
  return closer === null || closer === keyAt(data, OWNER_AT) ? null : 'foreign_close_authority';
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
