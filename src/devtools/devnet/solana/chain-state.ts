import {
  Account,
  Clock,
  LiteSvm,
  Rent,
  type FailedTransactionMetadata,
  type TransactionMetadata,
} from 'litesvm/dist/internal.js';
import { addressOf, bytesOf, hexOf, type AccountKey } from './account-key.js';
import { AccountVersions, type StoredAccount } from './account-versions.js';
import { TOKEN_PROGRAMS } from './programs.js';
import { readMint, readTokenAccount } from './token-layout.js';
import type { WireTransaction } from './wire-transaction.js';

const RENT_EPOCH = 2n ** 64n - 1n;
/** SIMD-0194: the rate is per byte, and the threshold is one. */
const EXEMPTION_THRESHOLD = 1;
const BURN_PERCENT = 50;
const MS_PER_SECOND = 1_000;
export const SLOTS_PER_EPOCH = 432_000;

/** What the programs see of the chain that a transaction runs in. */
export interface SlotView {
  readonly slot: number;
  readonly timeMs: number;
}

/** The result of a simulation. */
export interface SimulatedRun {
  readonly result: TransactionMetadata | FailedTransactionMetadata;
  /** The accounts after a success. */
  readonly after: ReadonlyMap<AccountKey, StoredAccount>;
}

/**
 * All accounts, in LiteSVM's virtual machine, with an undo log. It uses the binding of the `litesvm` package and not its
 * wrapper, which loads the whole of `@solana/kit`: that takes 0.7 s and 25 MB at each start. Signatures, blockhashes and
 * duplicates are checked by the chain.
 */
export class ChainState {
  private readonly svm = new LiteSvm();
  private readonly versions = new AccountVersions();
  /** Token accounts by owner, of now or the past. */
  private readonly ownedTokens = new Map<AccountKey, Set<AccountKey>>();
  /** By mint; every transaction with tokens asks for them. */
  private readonly decimals = new Map<AccountKey, number | null>();
  private clockSlot = -1;

  constructor(lamportsPerByte: number) {
    this.svm.setSigverify(false);
    this.svm.setBlockhashCheck(false);
    this.svm.setTransactionHistory(0n);
    this.svm.withNativeMints();
    this.setRent(lamportsPerByte);
  }

  setRent(lamportsPerByte: number): void {
    this.svm.setRent(new Rent(BigInt(lamportsPerByte), EXEMPTION_THRESHOLD, BURN_PERCENT));
  }

  rentExemption(bytes: number): bigint {
    return this.svm.minimumBalanceForRentExemption(BigInt(bytes));
  }

  account(key: AccountKey): StoredAccount | null {
    const account = this.svm.getAccount(bytesOf(key));
    return account === null ? null : storedOf(account);
  }

  lamports(key: AccountKey): bigint {
    return this.svm.getBalance(bytesOf(key)) ?? 0n;
  }

  /** Returns an account as it was after a slot, which is final or newer. */
  accountAfter(slot: number, key: AccountKey): StoredAccount | null {
    const older = this.versions.after(slot, key);
    return older === undefined ? this.account(key) : older;
  }

  /** Returns the addresses of token accounts that this owner has, or had. */
  tokenAccountsOf(owner: AccountKey): ReadonlySet<AccountKey> {
    return this.ownedTokens.get(owner) ?? new Set();
  }

  /** Returns the decimals of a mint; null when it is none. */
  decimalsOf(mint: AccountKey): number | null {
    let decimals = this.decimals.get(mint);
    if (decimals === undefined) {
      const account = this.account(mint);
      decimals = account === null ? null : (readMint(account.data)?.decimals ?? null);
      this.decimals.set(mint, decimals);
    }
    return decimals;
  }

  /** Writes an account, past all rules of the programs; null removes it. */
  write(slot: number, key: AccountKey, account: StoredAccount | null): void {
    this.versions.remember(slot, key, this.account(key));
    this.put(key, account);
    if (account !== null) this.noteTokens(key, account);
  }

  /** Sets what programs see of the slot that transactions run in. */
  enter({ slot, timeMs }: SlotView): void {
    if (slot === this.clockSlot) return;
    this.clockSlot = slot;
    const epoch = Math.floor(slot / SLOTS_PER_EPOCH);
    const seconds = BigInt(Math.floor(timeMs / MS_PER_SECOND));
    this.svm.setClock(new Clock(BigInt(slot), 0n, BigInt(epoch), BigInt(epoch + 1), seconds));
  }

  /** Runs a transaction, which changes accounts if the virtual machine charges its fee. */
  run(transaction: WireTransaction): TransactionMetadata | FailedTransactionMetadata {
    return transaction.version === 'legacy'
      ? this.svm.sendLegacyTransaction(transaction.bytes)
      : this.svm.sendVersionedTransaction(transaction.bytes);
  }

  /** Keeps what a transaction has changed, for forks and reads of older slots. */
  noteChange(slot: number, key: AccountKey, before: StoredAccount | null, after: StoredAccount | null): void {
    this.versions.remember(slot, key, before);
    this.decimals.delete(key);
    if (after !== null) this.noteTokens(key, after);
  }

  /** Runs a transaction on the accounts as they were after a slot, and changes nothing. */
  simulate(transaction: WireTransaction, view: SlotView, keys: readonly AccountKey[]): SimulatedRun {
    this.enter(view);
    const present = new Map<AccountKey, StoredAccount | null>();
    for (const key of keys) {
      const older = this.versions.after(view.slot, key);
      if (older === undefined) continue;
      present.set(key, this.account(key));
      this.put(key, older);
    }
    try {
      const { bytes, version } = transaction;
      const outcome =
        version === 'legacy' ? this.svm.simulateLegacyTransaction(bytes) : this.svm.simulateVersionedTransaction(bytes);
      if ('err' in outcome) return { result: outcome, after: new Map() };
      const after = outcome.postAccounts().map((one) => [hexOf(one.address), storedOf(one.account())] as const);
      return { result: outcome.meta(), after: new Map(after) };
    } finally {
      for (const [key, account] of present) this.put(key, account);
    }
  }

  /** Lets programs see these slots with their blockhashes, newest first: a lookup table is created with one of them. */
  setSlotHashes(hashes: readonly (readonly [slot: number, hash: string])[]): void {
    this.svm.setSlotHashes(hashes.map(([slot, hash]) => ({ slot: BigInt(slot), hash: addressOf(hash) })));
  }

  /** Restores the accounts as they were after a slot. */
  rollBack(slot: number): void {
    for (const [key, account] of this.versions.rollBack(slot)) this.put(key, account);
  }

  /** The accounts can no longer be rolled back to a slot before this one. */
  finalize(slot: number): void {
    this.versions.forget(slot);
  }

  private put(key: AccountKey, account: StoredAccount | null): void {
    const { lamports, data, owner, executable } = account ?? {
      lamports: 0n,
      data: new Uint8Array(),
      owner: '00'.repeat(32),
      executable: false,
    };
    this.decimals.delete(key);
    this.svm.setAccount(bytesOf(key), new Account(lamports, data, bytesOf(owner), executable, RENT_EPOCH));
  }

  private noteTokens(key: AccountKey, { owner, data }: StoredAccount): void {
    if (!TOKEN_PROGRAMS.has(owner)) return;
    const token = readTokenAccount(data);
    if (token === null) return;
    const known = this.ownedTokens.get(token.owner);
    if (known === undefined) this.ownedTokens.set(token.owner, new Set([key]));
    else known.add(key);
  }
}

function storedOf(account: Account): StoredAccount {
  return {
    lamports: account.lamports(),
    data: account.data(),
    owner: hexOf(account.owner()),
    executable: account.executable(),
  };
}
