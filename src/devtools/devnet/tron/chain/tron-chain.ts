import { Evm } from '../vm/evm.js';
import { BlockStore } from './block-store.js';
import type { IncludedTransaction } from './block.js';
import { ChainState } from './chain-state.js';
import { execute } from './execute.js';
import type { ExecutionPlace, Outcome } from './execution.js';
import { writeGenesis, type GenesisContracts } from './genesis.js';
import type { GenesisEntry } from './journal.js';
import { Refusal } from './refusal.js';
import { slotOf } from './resource-usage.js';
import { changedSettings, firstSettings, type ChainSettings, type SettingsChange } from './settings.js';
import { checkSignature, checkSizeAndExpiration } from './transaction-checks.js';
import { contractOf, type TronContract, type TronTransaction } from './tron-transaction.js';

/** A new block. */
export interface MadeBlock {
  readonly number: number;
  readonly id: string;
  readonly time: number;
  readonly transactions: readonly IncludedTransaction[];
}

interface PendingTransaction {
  readonly transaction: TronTransaction;
  readonly contract: TronContract;
}

/**
 * The chain in memory: blocks, the states of those that are not solid, and pending transactions. The same calls in the same
 * order give the same blocks. Calls that are asynchronous must not overlap (`Exclusive`).
 */
export class TronChain {
  readonly blocks: BlockStore;
  readonly intervalMs: number;
  settings: ChainSettings;
  private solidNumber = 0;
  /** The states after the blocks from the solid one to the head. */
  private states: ChainState[];
  /** By their ids, in the order of their arrival. */
  private pending = new Map<string, PendingTransaction & { readonly outcome: Outcome }>();
  private pendingState: ChainState;
  /** A block never has the time of a dropped one, so that it has another id. */
  private lastTime: number;

  readonly evm: Evm;
  readonly contracts: GenesisContracts;

  private constructor(genesis: GenesisEntry, state: ChainState, evm: Evm, contracts: GenesisContracts) {
    this.evm = evm;
    this.contracts = contracts;
    this.intervalMs = genesis.intervalMs;
    this.blocks = new BlockStore(genesis.seed, genesis.intervalMs);
    this.settings = firstSettings(genesis.solidityDistance);
    this.states = [state];
    this.blocks.add(genesis.time, []);
    this.pendingState = state.child();
    this.lastTime = genesis.time;
  }

  static async create(genesis: GenesisEntry): Promise<TronChain> {
    const evm = await Evm.create();
    const state = ChainState.empty();
    const contracts = await writeGenesis(state, evm, genesis.time);
    return new TronChain(genesis, state, evm, contracts);
  }

  get head(): number {
    return this.blocks.head;
  }

  /** The number of the solid block, which never falls. */
  get solid(): number {
    return this.solidNumber;
  }

  /** The state that a full node answers from: the head's with the pending transactions. */
  get fullState(): ChainState {
    return this.pendingState;
  }

  get solidState(): ChainState {
    return this.stateOf(this.solidNumber);
  }

  /** The pending transactions in their order, with what came of them so far. */
  get pendingTransactions(): readonly IncludedTransaction[] {
    return [...this.pending.values()];
  }

  pendingTransaction(id: string): IncludedTransaction | null {
    return this.pending.get(id) ?? null;
  }

  /** The place of the next block at the earliest. */
  get nextPlace(): ExecutionPlace {
    return this.placeAt(this.blocks.timeOf(this.head) + this.intervalMs);
  }

  /** The first time after the head, and not before `now`, that a block can have. */
  nextBlockTime(now: number): number {
    const slots = Math.floor((now - this.blocks.genesisTime) / this.intervalMs);
    return Math.max(this.blocks.genesisTime + slots * this.intervalMs, this.lastTime + this.intervalMs);
  }

  change(change: SettingsChange): void {
    this.settings = changedSettings(this.settings, change, this.blocks.timeOf(this.head));
  }

  /** Accepts a transaction into the pending ones, or refuses it. Source: Wallet.broadcastTransaction. @throws Refusal */
  async accept(transaction: TronTransaction): Promise<void> {
    const contract = contractOf(transaction);
    checkSizeAndExpiration(transaction, this.blocks.timeOf(this.head), this.nextPlace.time);
    checkSignature(transaction, contract);
    if (this.pending.has(transaction.id)) {
      throw new Refusal('duplicate', `dup trans : ${transaction.id}`);
    }
    await this.addPending({ transaction, contract });
  }

  /** Adds a transaction that was accepted before, without executing it: `settlePending` does so. */
  restore(transaction: TronTransaction): void {
    const outcome = { fee: 0n, netUsage: 0n, netFee: 0n, call: null, withdrawn: 0n };
    this.pending.set(transaction.id, { transaction, contract: contractOf(transaction), outcome });
  }

  /** Makes a block of the pending transactions; those that are no longer valid vanish. Source: Manager.generateBlock. */
  async makeBlock(time: number): Promise<MadeBlock> {
    const state = this.stateOf(this.head).child();
    const included: IncludedTransaction[] = [];
    for (const one of this.pending.values()) {
      const outcome = await this.tryOn(state, one, this.placeAt(time));
      if (outcome !== null) included.push({ transaction: one.transaction, outcome });
    }
    const id = this.blocks.add(time, included);
    this.states.push(state);
    this.lastTime = Math.max(this.lastTime, time);
    this.pending = new Map();
    this.pendingState = state.child();
    this.advanceSolid();
    return { number: this.head, id, time, transactions: included };
  }

  /**
   * Drops the last blocks, which must not be solid; their transactions are pending again, or vanish. Call `settlePending`
   * afterwards. @throws Error
   */
  dropBlocks(count: number, keepsTransactions: boolean): void {
    if (count > this.head - this.solidNumber) {
      throw new Error(`Only ${this.head - this.solidNumber} blocks are not solid.`);
    }
    const dropped = Array.from({ length: count }, () => this.blocks.removeHead())
      .toReversed()
      .flat();
    this.states.length -= count;
    if (!keepsTransactions) return;
    const again = dropped.map(({ transaction, outcome }) => {
      const one = { transaction, contract: contractOf(transaction), outcome };
      return [transaction.id, one] as const;
    });
    this.pending = new Map([...again, ...this.pending]);
  }

  /** Executes the pending transactions again on the head; those that are no longer valid vanish. */
  async settlePending(): Promise<void> {
    const before = this.pending.values();
    this.pending = new Map();
    this.pendingState = this.stateOf(this.head).child();
    for (const one of before) {
      try {
        await this.addPending(one);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }
  }

  private async addPending(one: PendingTransaction): Promise<void> {
    const outcome = await this.executeOn(this.pendingState, one, this.nextPlace);
    this.pending.set(one.transaction.id, { ...one, outcome });
  }

  private async tryOn(state: ChainState, one: PendingTransaction, place: ExecutionPlace): Promise<Outcome | null> {
    try {
      return await this.executeOn(state, one, place);
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }

  /** Executes on a layer of its own, which is kept only when the transaction is valid. */
  private async executeOn(
    below: ChainState,
    { transaction, contract }: PendingTransaction,
    place: ExecutionPlace,
  ): Promise<Outcome> {
    const { raw } = transaction;
    if (!this.blocks.isReference(raw.bytes('ref_block_bytes'), raw.bytes('ref_block_hash'))) {
      throw new Refusal('tapos', 'Tapos failed');
    }
    checkSizeAndExpiration(transaction, place.headTime, place.headTime + this.intervalMs);
    if (this.blocks.placeOf(transaction.id) !== null) throw new Refusal('duplicate', `dup trans : ${transaction.id}`);
    const state = below.child();
    const { parameters, energyFactors } = this.settings;
    const outcome = await execute({ transaction, contract, state, parameters, energyFactors, place, evm: this.evm });
    state.mergeInto(below);
    return outcome;
  }

  private placeAt(time: number): ExecutionPlace {
    const headTime = this.blocks.timeOf(this.head);
    return { number: this.head + 1, time, headTime, slot: slotOf(headTime, this.blocks.genesisTime) };
  }

  private stateOf(number: number): ChainState {
    const state = this.states[number - this.solidNumber];
    if (state === undefined) throw new Error(`The state after block ${number} is not kept.`);
    return state;
  }

  /** Merges the states of blocks that have become solid into the one at the bottom. */
  private advanceSolid(): void {
    while (this.head - this.solidNumber > this.settings.solidityDistance) {
      const [bottom, next, above] = this.states;
      if (bottom === undefined || next === undefined) throw new Error('States are missing.');
      next.mergeInto(bottom);
      (above ?? this.pendingState).standOn(bottom);
      this.states.splice(1, 1);
      this.solidNumber += 1;
    }
  }
}
