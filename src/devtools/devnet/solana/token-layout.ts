import { hexOf, type AccountKey } from './account-key.js';

const MINT_BYTES = 82;
const ACCOUNT_BYTES = 165;
/** Where Token-2022 marks accounts with extensions as mint or account. */
const KIND_OFFSET = 165;
const KIND = { mint: 1, account: 2 } as const;
const STATES = ['uninitialized', 'initialized', 'frozen'] as const;

const AT = { owner: 32, amount: 64, delegate: 72, state: 108, native: 109, delegated: 121, closer: 129 } as const;
const MINT_AT = { authority: 0, supply: 36, decimals: 44, isInitialized: 45, freezer: 46 } as const;

/** A token account of the token programs (solana-program/token `state::Account`). */
export interface TokenAccount {
  readonly mint: AccountKey;
  readonly owner: AccountKey;
  readonly amount: bigint;
  readonly delegate: AccountKey | null;
  readonly state: (typeof STATES)[number];
  /** Lamports that a wrapped coin reserves for rent; null for other tokens. */
  readonly nativeReserve: bigint | null;
  readonly delegatedAmount: bigint;
  readonly closeAuthority: AccountKey | null;
}

/** A mint (solana-program/token `state::Mint`). */
export interface Mint {
  readonly mintAuthority: AccountKey | null;
  readonly supply: bigint;
  readonly decimals: number;
  readonly freezeAuthority: AccountKey | null;
}

/** Reads the data of an initialized token account; null when it is something else. The caller checks the program. */
export function readTokenAccount(data: Uint8Array): TokenAccount | null {
  if (!hasKind(data, ACCOUNT_BYTES, KIND.account)) return null;
  const view = viewOf(data);
  const state = STATES[view.getUint8(AT.state)];
  if (state === undefined || state === 'uninitialized') return null;
  return {
    mint: keyAt(data, 0),
    owner: keyAt(data, AT.owner),
    amount: view.getBigUint64(AT.amount, true),
    delegate: optionalKey(data, AT.delegate),
    state,
    nativeReserve: view.getUint32(AT.native, true) === 0 ? null : view.getBigUint64(AT.native + 4, true),
    delegatedAmount: view.getBigUint64(AT.delegated, true),
    closeAuthority: optionalKey(data, AT.closer),
  };
}

/** Reads the data of an initialized mint; null when it is something else. The caller checks the program. */
export function readMint(data: Uint8Array): Mint | null {
  if (!hasKind(data, MINT_BYTES, KIND.mint)) return null;
  const view = viewOf(data);
  if (view.getUint8(MINT_AT.isInitialized) === 0) return null;
  return {
    mintAuthority: optionalKey(data, MINT_AT.authority),
    supply: view.getBigUint64(MINT_AT.supply, true),
    decimals: view.getUint8(MINT_AT.decimals),
    freezeAuthority: optionalKey(data, MINT_AT.freezer),
  };
}

/** Returns the data of a mint, as the genesis needs it. */
export function mintData(authority: Uint8Array, decimals: number, supply: bigint): Uint8Array {
  const data = new Uint8Array(MINT_BYTES);
  const view = viewOf(data);
  for (const at of [MINT_AT.authority, MINT_AT.freezer]) {
    view.setUint32(at, 1, true);
    data.set(authority, at + 4);
  }
  view.setBigUint64(MINT_AT.supply, supply, true);
  data[MINT_AT.decimals] = decimals;
  data[MINT_AT.isInitialized] = 1;
  return data;
}

/** Returns the data of a token account, as the genesis needs it. */
export function tokenAccountData(mint: Uint8Array, owner: Uint8Array, amount: bigint): Uint8Array {
  const data = new Uint8Array(ACCOUNT_BYTES);
  data.set(mint, 0);
  data.set(owner, AT.owner);
  viewOf(data).setBigUint64(AT.amount, amount, true);
  data[AT.state] = STATES.indexOf('initialized');
  return data;
}

const hasKind = (data: Uint8Array, length: number, kind: number): boolean =>
  data.length === length || (data.length > KIND_OFFSET && data[KIND_OFFSET] === kind);

const viewOf = (data: Uint8Array): DataView => new DataView(data.buffer, data.byteOffset, data.byteLength);

const keyAt = (data: Uint8Array, at: number): AccountKey => hexOf(data.subarray(at, at + 32));

const optionalKey = (data: Uint8Array, at: number): AccountKey | null =>
  viewOf(data).getUint32(at, true) === 0 ? null : keyAt(data, at + 4);
