import * as fc from 'fast-check';
import { BlockLedger, type Block } from './block-ledger.js';

const GENESIS = 'ab'.repeat(32);
const STEP_MS = 400;

type Step =
  | { readonly kind: 'append'; readonly gapMs: number; readonly isFull: boolean }
  | { readonly kind: 'extend'; readonly count: number }
  | { readonly kind: 'skip'; readonly count: number }
  | { readonly kind: 'drop'; readonly blocks: number };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), gapMs: fc.constantFrom(0, 0, 0, 7), isFull: fc.boolean() }),
  fc.record({ kind: fc.constant('extend' as const), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('skip' as const), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('drop' as const), blocks: fc.integer({ min: 1, max: 3 }) }),
);

/** A plain list of blocks, to compare with. */
class ListOfBlocks {
  blocks: Block[] = [{ slot: 0, height: 0, timeMs: 0 }];
  next = 1;

  get head(): Block {
    const head = this.blocks.at(-1);
    if (head === undefined) throw new Error('The list is empty.');
    return head;
  }

  add(timeMs: number): void {
    this.blocks.push({ slot: this.next, height: this.head.height + 1, timeMs });
    this.next += 1;
  }
}

function apply(step: Step, ledger: BlockLedger, list: ListOfBlocks): void {
  if (step.kind === 'append') {
    const timeMs = list.head.timeMs + STEP_MS + step.gapMs;
    ledger.append(timeMs, STEP_MS, step.isFull ? 'cd'.repeat(32) : null);
    list.add(timeMs);
  } else if (step.kind === 'extend') {
    // Only a run that nothing has ended can grow.
    ledger.append(list.head.timeMs + STEP_MS, STEP_MS, null);
    list.add(list.head.timeMs + STEP_MS);
    ledger.extendTo(ledger.runLength + step.count);
    for (let i = 0; i < step.count; i += 1) list.add(list.head.timeMs + STEP_MS);
  } else if (step.kind === 'skip') {
    ledger.skip(step.count);
    list.next += step.count;
  } else {
    const kept = list.blocks.at(-1 - step.blocks) ?? list.blocks[0];
    ledger.dropAfter(kept?.slot ?? 0);
    list.blocks = list.blocks.filter(({ slot }) => slot <= (kept?.slot ?? 0));
  }
}

describe('a ledger of runs', () => {
  it('has the same blocks as a plain list, whatever is appended, skipped and dropped', () => {
    fc.assert(
      fc.property(fc.array(STEP, { maxLength: 30 }), (steps) => {
        const ledger = new BlockLedger(GENESIS);
        ledger.append(0, 0, null);
        ledger.endRun();
        const list = new ListOfBlocks();
        for (const step of steps) apply(step, ledger, list);
        expect([ledger.head, ledger.nextSlot]).toEqual([list.head, list.next]);
        const bySlot = new Map(list.blocks.map((block) => [block.slot, block]));
        for (let slot = 0; slot < list.next + 2; slot += 1) {
          expect(ledger.at(slot)).toEqual(bySlot.get(slot) ?? null);
          expect(ledger.atOrBefore(slot)).toEqual(list.blocks.findLast((block) => block.slot <= slot));
        }
        const slots = list.blocks.map(({ slot }) => slot);
        expect(ledger.slots(0, list.next, 1_000)).toEqual(slots);
        expect(ledger.slots(3, list.next, 4)).toEqual(slots.filter((slot) => slot >= 3).slice(0, 4));
        for (const block of list.blocks) expect(ledger.withHash(ledger.hashOf(block.slot))).toEqual(block);
      }),
    );
  });

  it('gives every block another hash, which depends on its transactions', () => {
    const [one, two] = [new BlockLedger(GENESIS), new BlockLedger(GENESIS)];
    one.append(0, 0, null);
    two.append(0, 0, null);
    one.append(0, 0, 'cd'.repeat(32));
    two.append(0, 0, 'ce'.repeat(32));
    expect(new Set([one.hashOf(0), one.hashOf(1), two.hashOf(1), one.hashOf(2)]).size).toBe(4);
    expect(two.hashOf(0)).toBe(GENESIS);
  });

  it('forgets the hashes of blocks that are too old for any transaction', () => {
    const ledger = new BlockLedger(GENESIS);
    ledger.append(0, STEP_MS, null);
    ledger.extendTo(5_000);
    expect(ledger.withHash(ledger.hashOf(3_999))).toBeNull();
    expect(ledger.withHash(ledger.hashOf(4_000))).toEqual({ slot: 4_000, height: 4_000, timeMs: 1_600_000 });
  });
});
