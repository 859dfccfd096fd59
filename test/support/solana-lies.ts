import type { Lie } from './proxy-node.js';

type Answer = Readonly<Record<string, unknown>>;

/** Changes the results of a method, and answers everything else honestly. */
export const changing =
  (method: string, change: (result: never, params: readonly unknown[]) => unknown): Lie =>
  async (question, ask) => {
    const { result } = await ask(question);
    return question.method === method ? change(result as never, question.params) : result;
  };

/** Applies several lies, each to the methods that it is about. */
export const together =
  (...lies: readonly Lie[]): Lie =>
  async (question, ask) => {
    let answer: unknown = (await ask(question))['result'];
    for (const lie of lies) {
      const truth = answer;
      answer = await lie(question, async (other) => (other === question ? { result: truth } : ask(other)));
    }
    return answer;
  };

/** Breaks the connection when it is asked by this method. */
export const deaf =
  (method: string): Lie =>
  async (question, ask) => {
    if (question.method === method) throw new Error('The connection breaks.');
    return (await ask(question))['result'];
  };

/** The node has no final block above this slot. */
export const endingAt = (slot: number): Lie =>
  changing('getBlocksWithLimit', (slots: readonly number[]) => slots.filter((each) => each <= slot));

/** The node has dropped this block. */
export const withoutBlock = (slot: number): Lie =>
  changing('getBlock', (block: Answer, [asked]) => (asked === slot ? null : block));

/** The node leaves this block out of its list. */
export const skipping = (slot: number): Lie =>
  changing('getBlocksWithLimit', (slots: readonly number[]) => slots.filter((each) => each !== slot));

/** The node knows every transaction. */
export const knowingAll: Lie = changing(
  'getSignatureStatuses',
  ({ value, ...answer }: { value: readonly unknown[] }) => ({
    ...answer,
    value: value.map(() => ({ slot: 1, confirmations: 0, err: null, confirmationStatus: 'processed' })),
  }),
);

/** The node knows no transaction. */
export const knowingNone: Lie = together(
  changing('getSignatureStatuses', ({ value, ...answer }: { value: readonly unknown[] }) => ({
    ...answer,
    value: value.map(() => null),
  })),
  changing('getTransaction', () => null),
);

/** The node says that transactions on the newest block end this many blocks too early, and its blocks agree. */
export const endingEarly = (blocks: number): Lie =>
  together(
    changing('getLatestBlockhash', ({ value, ...answer }: { value: { lastValidBlockHeight: number } }) => ({
      ...answer,
      value: { ...value, lastValidBlockHeight: value.lastValidBlockHeight - blocks },
    })),
    changing('getBlock', (block: { blockHeight: number }) => ({ ...block, blockHeight: block.blockHeight - blocks })),
  );

/** The node says that a block with this hash is in this old slot. */
export const misplacing = (slot: number, height: number, blockhash: string): Lie =>
  together(
    changing('getLatestBlockhash', ({ context }: { context: Answer }) => ({
      context: { ...context, slot },
      value: { blockhash, lastValidBlockHeight: height + 150 },
    })),
    changing('getBlock', (block: Answer, [asked]) => (asked === slot ? { ...block, blockhash } : block)),
  );
