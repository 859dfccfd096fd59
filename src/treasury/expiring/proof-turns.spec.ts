import { ProofTurns } from './proof-turns.js';

const transactions = (...ids: readonly string[]) => ids.map((id) => ({ id }));

describe('the turns of proofs', () => {
  it('go to transactions that had none, then to those whose turn was the longest ago', () => {
    const turns = new ProofTurns();
    const idsOf = (late: readonly { readonly id: string }[]) => turns.next(late, 2, 0).map(({ id }) => id);
    expect(idsOf(transactions('a', 'b', 'c'))).toEqual(['a', 'b']);
    expect(idsOf(transactions('a', 'b', 'c'))).toEqual(['c', 'a']);
    expect(idsOf(transactions('a', 'b', 'c', 'd'))).toEqual(['d', 'b']);
    expect(idsOf(transactions('a', 'c', 'd'))).toEqual(['c', 'a']);
  });

  it('pause for a growing time, of five minutes at most, after five without success', () => {
    const turns = new ProofTurns();
    const late = transactions('a');
    const at: number[] = [];
    for (let now = 0; now < 3_600; now += 1) if (turns.next(late, 1, now * 1_000).length > 0) at.push(now);
    expect(at.slice(0, 11)).toEqual([0, 1, 2, 3, 4, 6, 10, 18, 34, 66, 130]);
    expect(at.slice(-2).map((now, place, last) => now - (last[place - 1] ?? now))).toEqual([0, 300]);
  });

  it('begin without a pause for a transaction that was not asked about in between', () => {
    const turns = new ProofTurns();
    for (let round = 0; round < 9; round += 1) turns.next(transactions('a'), 1, round * 100_000);
    expect(turns.next(transactions('a'), 1, 800_001)).toEqual([]);
    turns.next(transactions('b'), 1, 800_002);
    expect(turns.next(transactions('a'), 1, 800_003)).toEqual(transactions('a'));
  });
});
