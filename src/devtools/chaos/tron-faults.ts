import { z } from 'zod';
import type { Fault, Lie, Oracle } from './fault.js';
import type { RpcOutcome } from './rpc-message.js';
import { WIRE_FAULTS } from './wire-faults.js';

const LAG_BLOCKS = 6;
const AHEAD_MS = 60_000;
const OTHER_GENESIS = `${'0'.repeat(16)}${'e'.repeat(48)}`;
/** Faults of the connection that do not depend on the format of calls. */
const OF_THE_CONNECTION = ['html', '429', '503', 'timeout', 'reset', 'half-body', 'flapping', 'slow'];

const HEADER = z.looseObject({
  block_header: z.looseObject({ raw_data: z.looseObject({ number: z.number().default(0) }) }),
});
const NUMBER = z.looseObject({ num: z.coerce.number() });
const BY_NUMBER = z.looseObject({ id_or_num: z.coerce.number() });
const INFOS = z.array(z.looseObject({}));
const BLOCK = z.looseObject({});
const BLOCKS = z.looseObject({ block: z.array(z.unknown()) });
const TIMED_BLOCK = z.looseObject({
  block_header: z.looseObject({ raw_data: z.looseObject({ timestamp: z.number() }) }),
});
const TIMED_INFO = z.looseObject({ blockTimeStamp: z.number() });
const GENESIS = z.looseObject({ id_or_num: z.literal('0') });

const INTERFACES = ['wallet', 'walletsolidity'];
const HEAD_METHODS = ['getnowblock', 'getblock'];
const INFO_METHOD = 'gettransactioninfobyblocknum';

const resultIn = (outcome: RpcOutcome): unknown => ('result' in outcome ? outcome.result : null);
const nameOf = (method: string): string => method.split('/')[1] ?? '';
const interfaceOf = (method: string): string => method.split('/')[0] ?? '';
const heightOf = (block: unknown): number | null => HEADER.safeParse(block).data?.block_header.raw_data.number ?? null;

async function headOf(node: Oracle, of: string): Promise<number> {
  return heightOf(await node.resultOf(`${of}/getblock`, { detail: false })) ?? 0;
}

/** Answers that name a block by its number, and the head, without the newest blocks. */
function withoutNewest(blocks: number, interfaces: readonly string[]): Lie {
  return async ({ method, params: [params] }, truth, node) => {
    const of = interfaceOf(method);
    if (!interfaces.includes(of)) return truth;
    const top = Math.max(0, (await headOf(node, of)) - blocks);
    const name = nameOf(method);
    const height = BY_NUMBER.safeParse(params).data?.id_or_num;
    if (HEAD_METHODS.includes(name) && height === undefined) {
      return {
        result: await node.resultOf(`${of}/getblock`, { id_or_num: String(top), detail: name === 'getnowblock' }),
      };
    }
    const asked = height ?? NUMBER.safeParse(params).data?.num;
    if (asked === undefined || asked <= top) return truth;
    return { result: name === INFO_METHOD ? [] : {} };
  };
}

/** Returns blocks and infos, alone or in lists, with later times. */
function ahead(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(ahead);
  const { data: blocks } = BLOCKS.safeParse(answer);
  if (blocks !== undefined) return { ...blocks, block: blocks.block.map(ahead) };
  const { data: block } = TIMED_BLOCK.safeParse(answer);
  if (block !== undefined) {
    const { raw_data } = block.block_header;
    const later = { ...raw_data, timestamp: raw_data.timestamp + AHEAD_MS };
    return { ...block, block_header: { ...block.block_header, raw_data: later } };
  }
  const { data: info } = TIMED_INFO.safeParse(answer);
  return info === undefined ? answer : { ...info, blockTimeStamp: info.blockTimeStamp + AHEAD_MS };
}

/** Replaces the result of a method on both interfaces. */
function answering(
  name: string,
  result: (truth: unknown, params: unknown, ask: (params: object) => Promise<unknown>) => unknown,
): Lie {
  return async ({ method, params: [params] }, truth, node) => {
    if (nameOf(method) !== name) return truth;
    return { result: await result(resultIn(truth), params, (other) => node.resultOf(method, other)) };
  };
}

const fault = (name: string, about: string, falsify: () => Lie): Fault => ({
  name,
  about,
  begin: () => ({ kind: 'answer', falsify: falsify() }),
});

/** Ways in which a node of Tron misbehaves. */
export const TRON_FAULTS: readonly Fault[] = [
  fault('lag', `is ${LAG_BLOCKS} blocks behind on both interfaces`, () => withoutNewest(LAG_BLOCKS, INTERFACES)),
  fault('solidity-lag', `is ${LAG_BLOCKS} blocks behind in what is final, except for balances`, () =>
    withoutNewest(LAG_BLOCKS, ['walletsolidity']),
  ),
  fault('empty-block', 'answers {} for every block with its transactions', () =>
    answering('getblockbynum', () => ({})),
  ),
  fault('no-infos', 'answers [] for the infos of every block', () => answering(INFO_METHOD, () => [])),
  fault('empty-infos', 'answers {} for the infos of every block', () => answering(INFO_METHOD, () => ({}))),
  fault('missing-info', 'leaves out the last info of every block', () =>
    answering(INFO_METHOD, (truth) => INFOS.parse(truth).slice(0, -1)),
  ),
  fault('other-infos', 'answers with the infos of the block before', () =>
    answering(INFO_METHOD, (_truth, params, ask) => ask({ num: NUMBER.parse(params).num - 1 })),
  ),
  fault('flapping-internals', 'has internal transactions in every second answer only', () => {
    let answers = 0;
    return answering(INFO_METHOD, (truth) => {
      const infos = INFOS.parse(truth);
      if (!infos.some((info) => 'internal_transactions' in info) || answers++ % 2 === 1) return truth;
      return infos.map(({ internal_transactions: _left, ...info }) => info);
    });
  }),
  fault(
    'clock-ahead',
    `says of every block that it is ${AHEAD_MS / 1_000} s younger`,
    () => (_question, truth) => ('result' in truth ? { result: ahead(truth.result) } : truth),
  ),
  fault('wrong-genesis', 'serves another chain by the id of block 0', () =>
    answering('getblock', (truth, params) =>
      GENESIS.safeParse(params).success ? { ...BLOCK.parse(truth), blockID: OTHER_GENESIS } : truth,
    ),
  ),
  {
    name: 'over-limit',
    about: 'answers that it lacks computing resources, with status 200',
    begin: () => ({
      kind: 'answer',
      falsify: () => ({
        error: { code: 0, message: 'class java.lang.IllegalAccessException : lack of computing resources' },
      }),
    }),
  },
  ...WIRE_FAULTS.filter(({ name }) => OF_THE_CONNECTION.includes(name)),
];
