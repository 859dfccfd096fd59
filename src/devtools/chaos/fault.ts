import type { RpcAnswer, RpcOutcome, RpcQuestion, RpcRequest } from './rpc-message.js';
import type { SeededRandom } from './seeded-random.js';
import type { HttpReply, TrueNode } from './true-node.js';

/** What reaches the client in the end; `half` breaks the connection in the middle of the body. */
export type Delivery = HttpReply | { readonly half: HttpReply } | 'reset' | 'nothing';

/** What a lie may ask the real node, to be a good one. */
export type Oracle = Pick<TrueNode, 'ask' | 'resultOf'>;

/** Another answer to one question; what equals the truth is no fault. */
export type Lie = (question: RpcQuestion, truth: RpcOutcome, node: Oracle) => RpcOutcome | Promise<RpcOutcome>;

/**
 * A fault at work, with what it has to remember. `delay` comes before all others and gives milliseconds; `wire` stands
 * in the place of an answer, or does nothing by giving null; `answer` changes what single answers say and `envelope` how
 * they are packed.
 */
export type ActiveFault =
  | { readonly kind: 'delay'; readonly delayMs: () => number }
  | {
      readonly kind: 'wire';
      readonly send: (
        request: RpcRequest,
        honest: () => Promise<HttpReply>,
      ) => Promise<Delivery | null> | Delivery | null;
    }
  | { readonly kind: 'answer'; readonly falsify: Lie }
  | { readonly kind: 'envelope'; readonly pack: (answers: readonly RpcAnswer[]) => readonly RpcAnswer[] };

/** One way in which a node misbehaves. */
export interface Fault {
  readonly name: string;
  /** What such a node does, to follow its name. */
  readonly about: string;
  /** True when a node that does it cannot be told from an honest one: only a second node shows it. */
  readonly needsSecondNode?: true;
  /** Starts it anew. */
  readonly begin: (random: SeededRandom) => ActiveFault;
}
