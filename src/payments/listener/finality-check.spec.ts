import type { NodeSession, Opinion } from '../../chains/nodes/chain-nodes.js';
import { MemoryChain } from '../../../test/support/memory-chain.js';
import type { ChainStep, Cursor } from './chain-reader.js';
import { FinalityCheck } from './finality-check.js';

const OURS = `0x${'0a'.repeat(32)}`;
const OTHER = `0x${'0b'.repeat(32)}`;
const CURSOR: Cursor = { height: 100, hash: OURS, finalizedHeight: 90 };
const STEP: ChainStep = {
  rollbackTo: null,
  blocks: [],
  balances: [],
  headHeight: 100,
  finalizedHeight: 95,
  isCaughtUp: true,
};
const HELD = { ...STEP, finalizedHeight: 90 };
const DOUBT = 'They disagreed before.';

/** The blocks of the other nodes at the height that is to become final: null = nothing yet. */
type Holding = readonly (string | null)[];

describe('FinalityCheck [F-75]', () => {
  let nowMs: number;
  let questions: { readonly isFresh: boolean }[];
  let check: FinalityCheck;

  beforeEach(() => {
    nowMs = 10_000;
    questions = [];
    check = new FinalityCheck(
      () => Promise.resolve(OURS),
      () => nowMs,
    );
  });

  /** A session whose other nodes return `first` at the first question and `later` at each one after. */
  function session(first: Holding, later: Holding = first): NodeSession {
    return {
      label: 'http://a:1',
      client: new MemoryChain(CURSOR, 1),
      isAlone: false,
      replacesLaggard: false,
      verify: () => Promise.resolve(),
      assertCaughtUp: () => undefined,
      askOthers: async <T>(_question: unknown, options?: { readonly isFresh?: boolean }) => {
        const hashes = questions.length === 0 ? first : later;
        questions.push({ isFresh: options?.isFresh ?? false });
        return hashes.flatMap((answer) => (answer === null ? [] : [{ label: 'http://b:2', answer } as Opinion<T>]));
      },
    };
  }

  it.each<[what: string, holding: Holding, doubt: string | null, advances: boolean, doubted: boolean]>([
    ['one other node agrees', [OURS], null, true, false],
    ['all that have it agree', [OURS, null, OURS], null, true, false],
    ['the other one does not hold the block yet', [null], null, true, false],
    ['the other one holds another block', [OTHER], null, false, true],
    ['one of several holds another block', [OURS, OTHER], null, false, true],
    ['they agree again', [OURS], DOUBT, true, false],
    ['the one that disagreed is silent now', [null], DOUBT, false, true],
    ['they still disagree', [OTHER], DOUBT, false, true],
  ])('when %s', async (_what, holding, doubt, advances, doubted) => {
    const agreed = await check.check(session(holding), CURSOR, STEP, doubt);
    expect(agreed.step).toEqual(advances ? STEP : HELD);
    expect(agreed.doubt !== null).toBe(doubted);
  });

  it('names both nodes and both blocks, and keeps to the first words while it lasts', async () => {
    const { doubt } = await check.check(session([OTHER]), CURSOR, STEP, null);
    expect(doubt).toBe(`Final block 95 is ${OURS} at http://a:1 and ${OTHER} at http://b:2.`);
    nowMs += 2_000;
    expect((await check.check(session([OTHER]), CURSOR, { ...STEP, finalizedHeight: 96 }, doubt)).doubt).toBe(doubt);
  });

  it('asks twice before it alarms, and asks the second time which chain the other node serves', async () => {
    const agreed = await check.check(session([OTHER], []), CURSOR, STEP, null);
    expect(agreed).toEqual({ step: STEP, doubt: null });
    expect(questions).toEqual([{ isFresh: false }, { isFresh: true }]);
  });

  it('needs a word and no silence in place of a node that lags, and follows that node to what it holds', async () => {
    const insteadOfLaggard = (holding: Holding) => ({ ...session(holding), replacesLaggard: true });
    expect(await check.check(insteadOfLaggard([null]), CURSOR, STEP, null)).toEqual({ step: HELD, doubt: null });
    const later = { ...STEP, finalizedHeight: 98 };
    nowMs += 2_000;
    expect(await check.check(insteadOfLaggard([]), CURSOR, later, null)).toEqual({ step: HELD, doubt: null });
    nowMs += 2_000;
    expect(await check.check(insteadOfLaggard([OURS]), CURSOR, later, null)).toEqual({ step: STEP, doubt: null });
    nowMs += 2_000;
    const cursor = { ...CURSOR, finalizedHeight: 95 };
    expect(await check.check(session([null]), cursor, later, null)).toEqual({ step: later, doubt: null });
  });

  it('asks at most every two seconds, and finality waits meanwhile', async () => {
    await check.check(session([OURS]), CURSOR, STEP, null);
    nowMs += 1_999;
    expect(await check.check(session([OURS]), CURSOR, STEP, null)).toEqual({ step: HELD, doubt: null });
    expect(questions).toHaveLength(1);
    nowMs += 1;
    expect(await check.check(session([OURS]), CURSOR, STEP, null)).toEqual({ step: STEP, doubt: null });
  });

  it('asks no node where finality does not move or no other node is configured, which ends a doubt', async () => {
    const still = { ...STEP, finalizedHeight: 90 };
    expect(await check.check(session([OTHER]), CURSOR, still, DOUBT)).toEqual({ step: still, doubt: DOUBT });
    expect(await check.check({ ...session([OTHER]), isAlone: true }, CURSOR, STEP, DOUBT)).toEqual({
      step: STEP,
      doubt: null,
    });
    expect(questions).toEqual([]);
  });

  it('holds what it cannot name: a block that we no longer keep', async () => {
    const forgetful = new FinalityCheck(() => Promise.resolve(null));
    expect(await forgetful.check(session([OURS]), CURSOR, STEP, null)).toEqual({ step: HELD, doubt: null });
  });
});
