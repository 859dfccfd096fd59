import type { TronAccount } from './account.js';
import type { Delegation } from './delegation.js';

/** A contract beside its code: what `getcontract` answers. */
export interface ContractRecord {
  /** Address key of the account that created it. */
  readonly origin: string;
  /** The name of its compiled artifact. */
  readonly name: string;
}

/** One layer of changes to a table over the layers below. */
class LayeredTable<V> {
  private readonly changes = new Map<string, V | null>();
  private below: LayeredTable<V> | null;

  constructor(below: LayeredTable<V> | null) {
    this.below = below;
  }

  get(key: string): V | null {
    const value = this.changes.get(key);
    if (value !== undefined) return value;
    return this.below?.get(key) ?? null;
  }

  set(key: string, value: V | null): void {
    this.changes.set(key, value);
  }

  /** Moves its changes into another layer, which is below it. */
  moveInto(target: LayeredTable<V>): void {
    for (const [key, value] of this.changes) target.changes.set(key, value);
  }

  standOn(below: LayeredTable<V>): void {
    this.below = below;
  }
}

/**
 * The state of the chain as layers, like java-tron's snapshots: each block and each transaction writes into a layer of its
 * own. A dropped layer undoes them, the layer of the solid block answers as of that block, and values are never changed in
 * place.
 */
export class ChainState {
  readonly accounts: LayeredTable<TronAccount>;
  readonly contracts: LayeredTable<ContractRecord>;
  readonly code: LayeredTable<Uint8Array>;
  /** By address key and slot. */
  readonly storage: LayeredTable<Uint8Array>;
  /** By `delegationKey`. */
  readonly delegations: LayeredTable<Delegation>;
  /** Totals of the whole chain, such as the staked TRX. */
  readonly totals: LayeredTable<bigint>;

  private constructor(below: ChainState | null) {
    this.accounts = new LayeredTable(below?.accounts ?? null);
    this.contracts = new LayeredTable(below?.contracts ?? null);
    this.code = new LayeredTable(below?.code ?? null);
    this.storage = new LayeredTable(below?.storage ?? null);
    this.delegations = new LayeredTable(below?.delegations ?? null);
    this.totals = new LayeredTable(below?.totals ?? null);
  }

  static empty(): ChainState {
    return new ChainState(null);
  }

  /** A new layer on this one. */
  child(): ChainState {
    return new ChainState(this);
  }

  /** Moves the changes of this layer into the one below, which is given. */
  mergeInto(below: ChainState): void {
    this.accounts.moveInto(below.accounts);
    this.contracts.moveInto(below.contracts);
    this.code.moveInto(below.code);
    this.storage.moveInto(below.storage);
    this.delegations.moveInto(below.delegations);
    this.totals.moveInto(below.totals);
  }

  /** Stands on another layer with the same content, after the one below was merged into that. */
  standOn(below: ChainState): void {
    this.accounts.standOn(below.accounts);
    this.contracts.standOn(below.contracts);
    this.code.standOn(below.code);
    this.storage.standOn(below.storage);
    this.delegations.standOn(below.delegations);
    this.totals.standOn(below.totals);
  }
}
