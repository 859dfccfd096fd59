import { z } from 'zod';
import { forged, heightAt, heightIn, heightOf, quantity } from './block-numbers.js';
import type { Fault } from './fault.js';
import type { RpcOutcome, RpcQuestion } from './rpc-message.js';

const HEIGHTS_JUMPED = 1000;
const OTHER_CHAIN_ID = 424_242;
const BLOCK = z.looseObject({ hash: z.string() });

const asksBlock = ({ method, params }: RpcQuestion, tag: string): boolean =>
  method === 'eth_getBlockByNumber' && params[0] === tag;
const asksHead = (question: RpcQuestion): boolean =>
  question.method === 'eth_blockNumber' || asksBlock(question, 'latest');

/** Returns the same block with another hash. */
function forgedBlock(truth: RpcOutcome): RpcOutcome {
  const { data } = BLOCK.safeParse('result' in truth ? truth.result : null);
  return data === undefined ? truth : { result: { ...data, hash: forged(data.hash) } };
}

/** Repeats its first answer to each question that `isMeant` selects. */
function repeating(isMeant: (question: RpcQuestion) => boolean): Fault['begin'] {
  return () => {
    const answered = new Map<string, RpcOutcome>();
    return {
      kind: 'answer',
      falsify: (question, truth) => {
        if (!isMeant(question)) return truth;
        const key = JSON.stringify([question.method, question.params]);
        const first = answered.get(key) ?? truth;
        answered.set(key, first);
        return first;
      },
    };
  };
}

/** Faults about the identity, the height and the finality of the chain. */
export const HEAD_FAULTS: readonly Fault[] = [
  {
    name: 'stale-head',
    about: 'repeats its first head, like a cache',
    begin: repeating(asksHead),
  },
  {
    name: 'height-jump',
    about: `returns a head ${HEIGHTS_JUMPED} blocks too high`,
    begin: () => ({
      kind: 'answer',
      falsify: (question, truth) => {
        if (!asksHead(question) || 'error' in truth) return truth;
        const height = heightIn(truth.result) ?? heightOf(truth.result);
        if (height === null) return truth;
        const jumped = quantity(height + HEIGHTS_JUMPED);
        const block = BLOCK.safeParse(truth.result).data;
        return { result: block === undefined ? jumped : { ...block, number: jumped } };
      },
    }),
  },
  {
    name: 'wrong-chain-id',
    about: 'returns another chain id, like an endpoint that was swapped',
    begin: () => ({
      kind: 'answer',
      falsify: ({ method }, truth) => {
        if (method === 'eth_chainId') return { result: quantity(OTHER_CHAIN_ID) };
        return method === 'net_version' ? { result: String(OTHER_CHAIN_ID) } : truth;
      },
    }),
  },
  {
    name: 'wrong-genesis',
    about: 'has the right chain id and another first block',
    begin: () => ({
      kind: 'answer',
      falsify: (question, truth) => {
        const isGenesis = asksBlock(question, '0x0') || asksBlock(question, 'earliest');
        return isGenesis ? forgedBlock(truth) : truth;
      },
    }),
  },
  {
    name: 'finality-stalled',
    about: 'finalizes nothing more',
    begin: repeating((question) => asksBlock(question, 'finalized') || asksBlock(question, 'safe')),
  },
  {
    name: 'finality-ahead',
    about: 'calls its newest block final',
    begin: () => ({
      kind: 'answer',
      falsify: (question, truth, node) =>
        asksBlock(question, 'finalized') || asksBlock(question, 'safe')
          ? node.ask('eth_getBlockByNumber', 'latest', question.params[1])
          : truth,
    }),
  },
  {
    name: 'final-fork',
    about: 'has other hashes for blocks that are final',
    needsSecondNode: true,
    begin: () => ({
      kind: 'answer',
      falsify: async (question, truth, node) => {
        if (question.method !== 'eth_getBlockByNumber' || 'error' in truth) return truth;
        const height = heightOf(truth.result) ?? 0;
        const isFinal = height > 0 && height <= ((await heightAt(node, 'finalized')) ?? 0);
        return isFinal ? forgedBlock(truth) : truth;
      },
    }),
  },
];
