import { z } from 'zod';
import type { Fault, Lie, Oracle } from './fault.js';
import type { RpcOutcome } from './rpc-message.js';
import { WIRE_FAULTS } from './wire-faults.js';

const LAG_SLOTS = 20;
const UNDERSTATED_BLOCKS = 100;
const SPARSE_EVERY = 7;
const OTHER_GENESIS = '1'.repeat(32);
/** Faults of the connection that do not depend on the format of calls. */
const OF_THE_CONNECTION = ['html', '429', '503', 'timeout', 'reset', 'half-body', 'flapping', 'slow'];

const SLOT = z.number();
const BLOCK = z.looseObject({ blockhash: z.string(), blockHeight: z.number().optional() });
const LIST = z.array(z.unknown());
const LATEST = z.looseObject({ value: z.looseObject({ lastValidBlockHeight: z.number() }) });
const STATUSES = z.looseObject({ value: LIST });
const OPTIONS = z.looseObject({ commitment: z.string().optional() });

const resultIn = (outcome: RpcOutcome): unknown => ('result' in outcome ? outcome.result : null);

/** Replaces the results of methods; an error stays. */
function answering(results: Readonly<Record<string, (truth: unknown, params: readonly unknown[]) => unknown>>): Lie {
  return ({ method, params }, truth) => {
    const result = results[method];
    return result === undefined || 'error' in truth ? truth : { result: result(truth.result, params) };
  };
}

/** The newest slot of a node that lags, at the commitment that a question names. */
async function laggingTop(node: Oracle, options: unknown): Promise<number> {
  const commitment = OPTIONS.safeParse(options).data?.commitment ?? 'finalized';
  return Math.max(0, (SLOT.safeParse(await node.resultOf('getSlot', { commitment })).data ?? 0) - LAG_SLOTS);
}

/** Slots and blocks without the newest; balances and transactions are as new as ever, as behind a load balancer. */
const lagging: Lie = async ({ method, params }, truth, node) => {
  if (method === 'getSlot') return { result: await laggingTop(node, params[0]) };
  if (method !== 'getBlock') return truth;
  const top = await laggingTop(node, params[1]);
  const slot = SLOT.safeParse(params[0]).data ?? 0;
  return slot > top ? { error: { code: -32_004, message: `Block not available for slot ${slot}` } } : truth;
};

/** Two blocks with one slot: the hash of every third slot is that of another fork. */
const forked = (hash: string): string => `${hash.slice(0, -1)}${hash.endsWith('1') ? '2' : '1'}`;

/** A list that leaves out its first entry the first time that it is asked for. */
function late(method: string): () => Lie {
  return () => {
    const asked = new Set<string>();
    return (question, truth) => {
      const entries = question.method === method ? LIST.safeParse(resultIn(truth)).data : undefined;
      const key = JSON.stringify(question.params[0]);
      if (entries === undefined || entries.length === 0 || asked.has(key)) return truth;
      asked.add(key);
      return { result: entries.slice(1) };
    };
  };
}

const fault = (name: string, about: string, falsify: () => Lie): Fault => ({
  name,
  about,
  begin: () => ({ kind: 'answer', falsify: falsify() }),
});

/** Ways in which a node of Solana misbehaves. */
export const SOLANA_FAULTS: readonly Fault[] = [
  fault('lag', `is ${LAG_SLOTS} slots behind, except for balances and transactions`, () => lagging),
  fault('late-signature', 'lists the newest transaction of an address at the second question only', () =>
    late('getSignaturesForAddress')(),
  ),
  fault('no-history', 'lists no transactions of any address', () => answering({ getSignaturesForAddress: () => [] })),
  fault('no-transactions', 'has no transaction that it is asked for', () =>
    answering({
      getTransaction: () => null,
      getSignatureStatuses: (truth) => {
        const { value, ...others } = STATUSES.parse(truth);
        return { ...others, value: value.map(() => null) };
      },
    }),
  ),
  fault('unsupported-version', 'refuses to return transactions, as for an unknown version', () => {
    return ({ method }, truth) =>
      method === 'getTransaction'
        ? { error: { code: -32_015, message: 'Transaction version (1) is not supported by the requesting client.' } }
        : truth;
  }),
  fault('understated-expiry', `says that transactions expire ${UNDERSTATED_BLOCKS} blocks too early`, () =>
    answering({
      getLatestBlockhash: (truth) => {
        const { value, ...others } = LATEST.parse(truth);
        const lastValidBlockHeight = value.lastValidBlockHeight - UNDERSTATED_BLOCKS;
        return { ...others, value: { ...value, lastValidBlockHeight } };
      },
    }),
  ),
  fault('forked-slot', 'has another block hash in every third slot', () =>
    answering({
      getBlock: (truth, [slot]) => {
        const block = BLOCK.safeParse(truth).data;
        if (block === undefined || (SLOT.safeParse(slot).data ?? 1) % 3 !== 0) return truth;
        return { ...block, blockhash: forked(block.blockhash) };
      },
    }),
  ),
  fault('missing-blocks', `calls every slot that ${SPARSE_EVERY} divides skipped`, () => {
    const isMissing = (slot: unknown): boolean => (SLOT.safeParse(slot).data ?? 1) % SPARSE_EVERY === 0;
    return ({ method, params }, truth) => {
      if (method === 'getBlock' && isMissing(params[0])) {
        return {
          error: { code: -32_009, message: `Slot ${String(params[0])} was skipped, or missing in long-term storage` },
        };
      }
      const slots = method === 'getBlocksWithLimit' ? LIST.safeParse(resultIn(truth)).data : undefined;
      return slots === undefined ? truth : { result: slots.filter((slot) => !isMissing(slot)) };
    };
  }),
  fault('wrong-genesis', 'serves another cluster by its genesis hash', () =>
    answering({ getGenesisHash: () => OTHER_GENESIS }),
  ),
  fault('null', 'answers null', () => () => ({ result: null })),
  ...WIRE_FAULTS.filter(({ name }) => OF_THE_CONNECTION.includes(name)),
];
