import type { TronBlock } from '../chain/block-store.js';
import type { IncludedTransaction } from '../chain/block.js';
import type { ChainState } from '../chain/chain-state.js';
import type { CheckContext } from '../chain/transfers.js';
import { slotOf } from '../chain/resource-usage.js';
import type { TronNode } from '../chain/tron-node.js';

/** A transaction with the number and the time of its block. */
export interface FoundTransaction extends IncludedTransaction {
  readonly number: number;
  readonly time: number;
}

/**
 * What one of the two interfaces sees. `/wallet` answers from the head with the pending transactions, because java-tron
 * executes them in a session on the store that its answers are read from (Manager.pushTransaction). `/walletsolidity`
 * answers as of the solid block, with its state.
 */
export class NodeView {
  readonly node: TronNode;
  readonly isSolid: boolean;

  constructor(node: TronNode, isSolid: boolean) {
    this.node = node;
    this.isSolid = isSolid;
  }

  /** The number of the newest block that it shows. */
  get head(): number {
    return this.isSolid ? this.node.chain.solid : this.node.chain.head;
  }

  get state(): ChainState {
    return this.isSolid ? this.node.chain.solidState : this.node.chain.fullState;
  }

  /** What contracts are checked against, and resources are computed for. */
  get context(): CheckContext {
    const { blocks, settings } = this.node.chain;
    const now = blocks.timeOf(this.head);
    return { state: this.state, parameters: settings.parameters, now, slot: slotOf(now, blocks.genesisTime) };
  }

  block(number: number): TronBlock | null {
    return number >= 0 && number <= this.head ? this.node.chain.blocks.byNumber(number) : null;
  }

  blockById(id: string): TronBlock | null {
    const block = this.node.chain.blocks.byId(id);
    return block !== null && block.number <= this.head ? block : null;
  }

  transaction(id: string): FoundTransaction | null {
    const { blocks } = this.node.chain;
    const place = blocks.placeOf(id);
    if (place === null || place.number > this.head) return null;
    return { ...blocks.at(place), number: place.number, time: blocks.timeOf(place.number) };
  }

  /** Returns a pending transaction, which only a full node knows. */
  pending(id: string): IncludedTransaction | null {
    if (this.isSolid) return null;
    return this.node.chain.pendingTransaction(id);
  }
}
