import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import { Account, type Address } from '@ethereumjs/util';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { addressOfEvm } from '../address.js';
import { newAccount } from '../chain/account.js';
import { ChainState } from '../chain/chain-state.js';

const NOTHING = new Uint8Array();

/** Lets the EVM read and write accounts, code and storage of this chain; a balance is in sun. */
export class EvmState implements StateManagerInterface {
  /** Refund rules that Tron does not have would need it. */
  readonly originalStorageCache = { get: async () => NOTHING, clear: () => undefined };
  private layers: ChainState[] = [ChainState.empty()];
  private createdAt = 0;
  private readonly codeHashes = new WeakMap<Uint8Array, Uint8Array>();

  /** Works on another layer of the state; accounts that contracts create get this time. */
  workOn(state: ChainState, createdAt: number): void {
    this.layers = [state];
    this.createdAt = createdAt;
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    const account = this.top.accounts.get(addressOfEvm(address.bytes));
    if (account === null) return undefined;
    const found = new Account(account.nonce, account.balance);
    if (account.type === 'Contract') found.codeHash = this.codeHash(this.codeOf(address));
    return found;
  }

  async putAccount(address: Address, account: Account = new Account()): Promise<void> {
    const key = addressOfEvm(address.bytes);
    const before = this.top.accounts.get(key);
    // A call without value activates nothing.
    if (before === null && account.balance === 0n && account.nonce === 0n) return;
    const { balance } = account;
    // An account without a nonce would be empty, and a call to it dearer.
    const nonce = account.nonce === 0n ? 1n : account.nonce;
    this.top.accounts.set(key, { ...(before ?? newAccount(key, 'Normal', this.createdAt)), balance, nonce });
  }

  async deleteAccount(address: Address): Promise<void> {
    this.top.accounts.set(addressOfEvm(address.bytes), null);
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const account = (await this.getAccount(address)) ?? new Account();
    await this.putAccount(address, Object.assign(account, fields));
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const key = addressOfEvm(address.bytes);
    const before = this.top.accounts.get(key) ?? newAccount(key, 'Contract', this.createdAt);
    this.top.accounts.set(key, { ...before, type: 'Contract' });
    this.top.code.set(key, code);
  }

  async getCode(address: Address): Promise<Uint8Array> {
    return this.codeOf(address);
  }

  async getCodeSize(address: Address): Promise<number> {
    return this.codeOf(address).length;
  }

  async getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    return this.top.storage.get(storageKey(address, key)) ?? NOTHING;
  }

  async putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    this.top.storage.set(storageKey(address, key), value.length === 0 ? null : value);
  }

  /** Only an address that had a contract before would have anything to clear, and contracts are never removed. */
  async clearStorage(): Promise<void> {}

  async checkpoint(): Promise<void> {
    this.layers.push(this.top.child());
  }

  async commit(): Promise<void> {
    const done = this.layers.pop();
    done?.mergeInto(this.top);
  }

  async revert(): Promise<void> {
    this.layers.pop();
  }

  async getStateRoot(): Promise<Uint8Array> {
    throw new Error('This chain has no state root.');
  }

  async setStateRoot(): Promise<void> {
    throw new Error('This chain has no state root.');
  }

  async hasStateRoot(): Promise<boolean> {
    return false;
  }

  clearCaches(): void {}

  shallowCopy(): StateManagerInterface {
    const copy = new EvmState();
    copy.workOn(this.top, this.createdAt);
    return copy;
  }

  private get top(): ChainState {
    const top = this.layers.at(-1);
    if (top === undefined) throw new Error('The EVM closed more checkpoints than it opened.');
    return top;
  }

  private codeOf(address: Address): Uint8Array {
    return this.top.code.get(addressOfEvm(address.bytes)) ?? NOTHING;
  }

  private codeHash(code: Uint8Array): Uint8Array {
    const known = this.codeHashes.get(code);
    if (known !== undefined) return known;
    const hash = keccak_256(code);
    this.codeHashes.set(code, hash);
    return hash;
  }
}

const storageKey = (address: Address, slot: Uint8Array): string =>
  `${addressOfEvm(address.bytes)}:${Buffer.from(slot).toString('hex')}`;
