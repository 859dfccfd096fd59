import { addressOf, hexOf, type AccountKey } from './account-key.js';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  MEMO_PROGRAM,
  MEMO_V1_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.js';
import { uiTokenAmount } from './token-amount.js';

/** What an instruction has as `parsed`: a type with fields, or the text of a memo. */
type Parsed = { readonly type: string; readonly info: Readonly<Record<string, unknown>> } | string;

/** An instruction with the keys of its accounts. */
export interface NamedInstruction {
  readonly program: AccountKey;
  readonly accounts: readonly AccountKey[];
  readonly data: Uint8Array;
}

/** Reads an instruction with the names that Agave gives its fields. Returns null for one that it does not know. */
type Parser = (accounts: readonly string[], data: DataView) => Parsed | null;

const PROGRAM_NAMES: Readonly<Record<AccountKey, string>> = {
  [SYSTEM_PROGRAM]: 'system',
  [TOKEN_PROGRAM]: 'spl-token',
  [TOKEN_2022_PROGRAM]: 'spl-token',
  [ASSOCIATED_TOKEN_PROGRAM]: 'spl-associated-token-account',
  [MEMO_PROGRAM]: 'spl-memo',
  [MEMO_V1_PROGRAM]: 'spl-memo',
};

const address = (data: DataView, at: number): string =>
  addressOf(hexOf(new Uint8Array(data.buffer, data.byteOffset + at, 32)));
const u64 = (data: DataView, at: number): bigint => data.getBigUint64(at, true);

/** solana-system-interface; transaction-status `parse_system.rs`. */
const SYSTEM: Readonly<Record<number, Parser>> = {
  0: ([source, newAccount], data) => ({
    type: 'createAccount',
    info: { source, newAccount, lamports: u64(data, 4), space: u64(data, 12), owner: address(data, 20) },
  }),
  1: ([account], data) => ({ type: 'assign', info: { account, owner: address(data, 4) } }),
  2: ([source, destination], data) => ({ type: 'transfer', info: { source, destination, lamports: u64(data, 4) } }),
  8: ([account], data) => ({ type: 'allocate', info: { account, space: u64(data, 4) } }),
};

/** The tokens of an instruction that names the decimals of its mint. */
const checkedAmount = (data: DataView): object => uiTokenAmount(u64(data, 1), data.getUint8(9));

/** solana-program/token `TokenInstruction`; transaction-status `parse_token.rs`. Authorities of one signature only. */
const TOKEN: Readonly<Record<number, Parser>> = {
  1: ([account, mint, owner, rentSysvar]) => ({
    type: 'initializeAccount',
    info: { account, mint, owner, rentSysvar },
  }),
  3: ([source, destination, authority], data) => ({
    type: 'transfer',
    info: { source, destination, authority, amount: u64(data, 1).toString() },
  }),
  7: ([mint, account, mintAuthority], data) => ({
    type: 'mintTo',
    info: { mint, account, mintAuthority, amount: u64(data, 1).toString() },
  }),
  9: ([account, destination, owner]) => ({ type: 'closeAccount', info: { account, destination, owner } }),
  10: ([account, mint, freezeAuthority]) => ({ type: 'freezeAccount', info: { account, mint, freezeAuthority } }),
  11: ([account, mint, freezeAuthority]) => ({ type: 'thawAccount', info: { account, mint, freezeAuthority } }),
  12: ([source, mint, destination, authority], data) => ({
    type: 'transferChecked',
    info: { source, mint, destination, authority, tokenAmount: checkedAmount(data) },
  }),
  14: ([mint, account, mintAuthority], data) => ({
    type: 'mintToChecked',
    info: { mint, account, mintAuthority, tokenAmount: checkedAmount(data) },
  }),
  17: ([account]) => ({ type: 'syncNative', info: { account } }),
  18: ([account, mint], data) => ({ type: 'initializeAccount3', info: { account, mint, owner: address(data, 1) } }),
  20: ([mint], data) => ({
    type: 'initializeMint2',
    info: { mint, decimals: data.getUint8(1), mintAuthority: address(data, 2) },
  }),
  21: ([mint]) => ({ type: 'getAccountDataSize', info: { mint, extensionTypes: ['immutableOwner'] } }),
  22: ([account]) => ({ type: 'initializeImmutableOwner', info: { account } }),
};

const associated =
  (type: string): Parser =>
  ([source, account, wallet, mint, systemProgram, tokenProgram]) => ({
    type,
    info: { source, account, wallet, mint, systemProgram, tokenProgram },
  });

/** transaction-status `parse_associated_token.rs`. */
const ASSOCIATED: Readonly<Record<number, Parser>> = { 0: associated('create'), 1: associated('createIdempotent') };

/** Returns an instruction as `jsonParsed` answers it: parsed if its program is known, else with its data in base58. */
export function parsedInstruction({ program, accounts, data }: NamedInstruction): object {
  const addresses = accounts.map(addressOf);
  const parsed = parse(program, addresses, data);
  const programId = addressOf(program);
  if (parsed === null) return { accounts: addresses, programId };
  return { parsed, program: PROGRAM_NAMES[program], programId };
}

function parse(program: AccountKey, accounts: readonly string[], data: Uint8Array): Parsed | null {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  try {
    if (program === SYSTEM_PROGRAM) return SYSTEM[view.getUint32(0, true)]?.(accounts, view) ?? null;
    if (program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM) {
      return TOKEN[view.getUint8(0)]?.(accounts, view) ?? null;
    }
    if (program === ASSOCIATED_TOKEN_PROGRAM) {
      return ASSOCIATED[data.length === 0 ? 0 : view.getUint8(0)]?.(accounts, view) ?? null;
    }
    if (program === MEMO_PROGRAM || program === MEMO_V1_PROGRAM) return Buffer.from(data).toString('utf8');
    return null;
  } catch (error) {
    // Data that ends early; the transaction has failed.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
