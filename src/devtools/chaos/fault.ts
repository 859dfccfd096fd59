import type { RpcAnswer, RpcOutcome, RpcQuestion, RpcRequest } from './rpc-message.js';
import type { SeededRandom } from './seeded-random.js';
import type { HttpReply, TrueNode } from './true-node.js';

/** The answer that reaches the client; `half` breaks the connection in the middle of the body. */
export type Delivery = HttpReply | { readonly half: HttpReply } | 'reset' | 'nothing';

/** The calls that a fault may make to the real node. */
export type Oracle = Pick<TrueNode, 'ask' | 'resultOf'>;

/** Returns another answer to one question, or the truth for no fault. */
export type Lie = (question: RpcQuestion, truth: RpcOutcome, node: Oracle) => RpcOutcome | Promise<RpcOutcome>;

/**
 * A started fault with its state. `delay` comes before all others and returns milliseconds; `wire` replaces the HTTP answer,
 * or returns null to do nothing; `answer` changes single answers; `envelope` changes how they are packed.
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
  /** Its behaviour, as a phrase after the name. */
  readonly about: string;
  /** True when a single node cannot reveal it: only a second node does. */
  readonly needsSecondNode?: true;
  /** Starts the fault with fresh state. */
  readonly begin: (random: SeededRandom) => ActiveFault;
}
