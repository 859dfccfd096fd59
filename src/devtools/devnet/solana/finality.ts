import type { Block, BlockLedger } from './block-ledger.js';

export const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const;
export type Commitment = (typeof COMMITMENTS)[number];

/** How many slots a block must be behind the newest one. */
export interface FinalityDistance {
  readonly confirmed: number;
  readonly finalized: number;
}

/** Which block has which commitment. A final block stays final; a confirmed one may be dropped by a fork. */
export class Finality {
  private readonly ledger: BlockLedger;
  private distances: FinalityDistance;
  private finalSlot = 0;

  constructor(ledger: BlockLedger, distances: FinalityDistance) {
    this.ledger = ledger;
    this.distances = distances;
  }

  get distance(): FinalityDistance {
    return this.distances;
  }

  /** Changes the distances from the newest block on. */
  set distance(distances: FinalityDistance) {
    this.distances = distances;
    this.advance();
  }

  get finalizedSlot(): number {
    return this.finalSlot;
  }

  /** Makes blocks final after the ledger has grown. */
  advance(): void {
    this.finalSlot = Math.max(this.finalSlot, this.behind(this.distances.finalized).slot);
  }

  /** Returns the newest block of a commitment. */
  block(commitment: Commitment): Block {
    if (commitment === 'processed') return this.ledger.head;
    const final = this.blockAt(this.finalSlot);
    if (commitment === 'finalized') return final;
    const confirmed = this.behind(this.distances.confirmed);
    return confirmed.slot > final.slot ? confirmed : final;
  }

  /** Returns the commitment of the block in a slot. */
  commitmentOf(slot: number): Commitment {
    if (slot <= this.finalSlot) return 'finalized';
    return slot <= this.block('confirmed').slot ? 'confirmed' : 'processed';
  }

  private behind(distance: number): Block {
    return this.blockAt(Math.max(0, this.ledger.head.slot - distance));
  }

  private blockAt(slot: number): Block {
    const block = this.ledger.atOrBefore(slot);
    if (block === null) throw new Error(`The chain has no block up to slot ${slot}.`);
    return block;
  }
}
