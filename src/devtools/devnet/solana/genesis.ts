import { createHash } from 'node:crypto';
import { addressOf, bytesOf, hexOf, type AccountKey } from './account-key.js';
import type { StoredAccount } from './account-versions.js';
import type { ChainState } from './chain-state.js';
import type { Genesis } from './journal.js';
import { associatedTokenAccount } from './program-address.js';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.js';
import { devSigner, SOLANA_ROLES } from './solana-dev-accounts.js';
import { mintData, tokenAccountData } from './token-layout.js';

/** The coins of each role at the genesis. */
export const LAMPORTS_OF_ROLE = 10n ** 15n;
/** Of each token, in smallest units. */
export const TOKENS_OF_ROLE = 10n ** 15n;
const DECIMALS = 6;
/** The first key of the mints; roles have lower ones. */
const MINTS_FROM = 100;

/** A mint of the genesis; the faucet may mint and freeze. */
export interface DevMint {
  readonly symbol: string;
  readonly mint: AccountKey;
  readonly program: AccountKey;
  readonly decimals: number;
}

const PLANS = [
  ['USDC', TOKEN_PROGRAM],
  ['USDT', TOKEN_PROGRAM],
  // Of a token program that a service may refuse.
  ['USDC22', TOKEN_2022_PROGRAM],
] as const;

/** The mints of every development chain; their addresses never change. Append only. */
const DEV_MINTS: readonly DevMint[] = PLANS.map(([symbol, program], i) => ({
  symbol,
  mint: devSigner(MINTS_FROM + i).key,
  program,
  decimals: DECIMALS,
}));

/** Returns the accounts of the genesis: coins and tokens of all roles, and the mints. */
export function genesisAccounts(state: ChainState): Map<AccountKey, StoredAccount> {
  const accounts = new Map<AccountKey, StoredAccount>();
  const add = (key: AccountKey, owner: AccountKey, data: Uint8Array, lamports?: bigint): void => {
    const funds = lamports ?? state.rentExemption(data.length);
    accounts.set(key, { lamports: funds, data, owner, executable: false });
  };
  const roles = Object.values(SOLANA_ROLES).map((index) => devSigner(index).key);
  for (const key of roles) add(key, SYSTEM_PROGRAM, new Uint8Array(), LAMPORTS_OF_ROLE);
  const authority = bytesOf(devSigner(SOLANA_ROLES.faucet).key);
  for (const { mint, program, decimals } of DEV_MINTS) {
    add(mint, program, mintData(authority, decimals, TOKENS_OF_ROLE * BigInt(roles.length)));
    for (const key of roles) {
      const data = tokenAccountData(bytesOf(mint), bytesOf(key), TOKENS_OF_ROLE);
      add(associatedTokenAccount(key, mint, program), program, data);
    }
  }
  return accounts;
}

/** Returns the hash of a genesis, in hex: it is another one for each new chain. */
export function genesisHashOf({ nonce, timeMs }: Genesis): string {
  return hexOf(createHash('sha256').update(`coffer development chain ${nonce} ${timeMs}`).digest());
}

/** Returns the address of a mint by its symbol. @throws Error when there is none. */
export function devMint(symbol: string): DevMint {
  const found = DEV_MINTS.find((mint) => mint.symbol === symbol);
  if (found === undefined) throw new Error(`The development chain has no ${symbol}.`);
  return found;
}

/** Returns the addresses of the mints by symbol. */
export function devMintAddresses(): Readonly<Record<string, string>> {
  return Object.fromEntries(DEV_MINTS.map(({ symbol, mint }) => [symbol, addressOf(mint)]));
}
