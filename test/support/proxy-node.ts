import type { Fault } from '../../src/devtools/chaos/fault.js';
import { FaultProxy } from '../../src/devtools/chaos/fault-proxy.js';
import { lag } from '../../src/devtools/chaos/lag.js';
import { SeededRandom } from '../../src/devtools/chaos/seeded-random.js';
import type { RpcOutcome } from '../../src/devtools/chaos/rpc-message.js';

export interface ProxyQuestion {
  readonly method: string;
  readonly params: readonly unknown[];
}
export type ProxyAnswer = Readonly<Record<string, unknown>>;

/** Answers one call: with an invented answer, or with that of the real node to this or another call. */
export type Lie = (question: ProxyQuestion, ask: (question: ProxyQuestion) => Promise<ProxyAnswer>) => Promise<unknown>;

/** The fault proxy with one fault of a spec, and a real node that may be replaced. */
export class ProxyNode {
  private currentLie: Lie | null = null;

  private constructor(
    private readonly proxy: FaultProxy,
    private target: string,
  ) {}

  static async start(upstream: string): Promise<ProxyNode> {
    return new ProxyNode(await FaultProxy.start({ target: { url: upstream }, seed: 0 }), upstream);
  }

  get url(): string {
    return this.proxy.url;
  }

  /** The number of calls so far, by method. */
  get asked(): ReadonlyMap<string, number> {
    return this.proxy.asked;
  }

  /** Returns the number of calls of a method so far. */
  count(method: string): number {
    return this.asked.get(method) ?? 0;
  }

  get lie(): Lie | null {
    return this.currentLie;
  }

  /** Null = honest. Its return value is the `result` of the answer; an exception closes the connection. */
  set lie(lie: Lie | null) {
    this.currentLie = lie;
    this.proxy.arm(lie === null ? [] : [faultOf(lie)]);
  }

  get upstream(): string {
    return this.target;
  }

  /** The real node; may be replaced at any time. */
  set upstream(url: string) {
    this.target = url;
    void this.proxy.redirect({ url });
  }

  async stop(): Promise<void> {
    await this.proxy.stop();
  }
}

/** What a lie returns for a question that the node is to refuse. */
export const REFUSED = Symbol('refused');

function faultOf(lie: Lie): Fault {
  return {
    name: 'lie',
    about: 'answers what a spec makes up',
    begin: () => ({
      kind: 'answer',
      falsify: async (question, _truth, node) => {
        const result = await lie(question, async ({ method, params }) => ({ ...(await node.ask(method, ...params)) }));
        return result === REFUSED ? { error: { code: -32_000, message: 'refused' } } : { result };
      },
    }),
  };
}

/**
 * A node that has not got the newest `blocks` blocks yet, and whose logs come from a backend that answers with an empty
 * list, not an error, for blocks that it does not have.
 */
export function behind(blocks: number): Lie {
  const fault = lag(blocks).begin(new SeededRandom(0));
  if (fault.kind !== 'answer') throw new Error('A lag is an answer.');
  return async (question, ask) => {
    const outcome = async (method: string, ...params: readonly unknown[]): Promise<RpcOutcome> => {
      const { error, result } = await ask({ method, params });
      return error === undefined ? { result } : { error: { code: 0, message: 'refused' } };
    };
    const resultOf = async (method: string, ...params: readonly unknown[]): Promise<unknown> =>
      (await ask({ method, params }))['result'];
    const truth = await outcome(question.method, ...question.params);
    const answer = await fault.falsify({ id: 0, method: question.method, params: [...question.params] }, truth, {
      ask: outcome,
      resultOf,
    });
    if ('result' in answer) return answer.result;
    return question.method === 'eth_getLogs' ? [] : null;
  };
}
