import { base58 } from '@scure/base';
import { ChainUnavailable } from '../chain.js';
import type { AccountObstacle } from '../../domain/account-obstacle.js';
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

const KEY_LENGTH = 32;
const OWNER_AT = 32;

/** The part of a token account's data that says who owns it, and how much it holds. */
export const OWNED_SLICE = { offset: OWNER_AT, length: KEY_LENGTH + BALANCE_SLICE.length };

/**
 * Returns the balance of a token account from that slice; 0 unless this key owns it. An account that was closed may have been
 * opened again by somebody else. @throws ChainUnavailable for another slice
 */
export function ownedUnitsOf(account: StoredAccount | null, owner: string | undefined): bigint {
  if (account?.owner !== TOKEN_PROGRAM) return 0n;
  const slice = exactSlice(account, OWNED_SLICE.length);
  const isOurs = owner === undefined || base58.encode(slice.subarray(0, KEY_LENGTH)) === owner;
  return isOurs ? slice.readBigUInt64LE(KEY_LENGTH) : 0n;
}

// Where the whole data of a token account says who else may act on it: an option is a number, 0 for none, before its value.
const WHOLE_LENGTH = 165;
const DELEGATE_AT = 72;
const CLOSE_AUTHORITY_AT = 129;

/** The data of a token account. */
export const WHOLE_SLICE = { offset: 0, length: WHOLE_LENGTH };

/** A token account, as its data says. */
interface Holding {
  readonly token: string;
  readonly owner: string;
  readonly units: bigint;
  readonly obstacle: AccountObstacle | null;
}

/** Returns what the whole data of a token account says. @throws ChainUnavailable for a part of it */
export function holdingOf(account: StoredAccount): Holding {
  const data = exactSlice(account, WHOLE_LENGTH);
  const key = (at: number): string => base58.encode(data.subarray(at, at + KEY_LENGTH));
  return {
    token: key(0),
    owner: key(OWNER_AT),
    units: data.readBigUInt64LE(BALANCE_SLICE.offset),
    obstacle: obstacleIn(data),
  };
}

function obstacleIn(data: Buffer): AccountObstacle | null {
  if (data[FREEZE_SLICE.offset] === FROZEN) return 'frozen';
  if (data.readUInt32LE(DELEGATE_AT) !== 0) return 'delegated';
  return data.readUInt32LE(CLOSE_AUTHORITY_AT) === 0 ? null : 'foreign_close_authority';
}

function exactSlice(account: StoredAccount, length: number): Buffer {
  const slice = Buffer.from(account.data[0], 'base64');
  if (slice.length === length) return slice;
  throw new ChainUnavailable(`The node returned ${slice.length} bytes of an account instead of ${length}.`);
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
